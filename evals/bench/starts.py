"""From the start of a process to its first answer, over the sample life; each time a fresh process."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evals import sample
from evals.bench import servers
from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, taken_ms
from paramecium import wiring
from paramecium.errors import Damaged
from paramecium.messages import Json, load_json
from paramecium.settings import Settings

HEALTHY_MS_MAX: Final = 1000.0
FIRST_RECALL_MS_MAX: Final = 2000.0
QUESTION: Final = "我后来认准了哪一种饮料？"
NOTE: Final = "fresh process over the sample life"


def rows(bench: Bench) -> Iterator[Row]:
    """Yields the gateway's first sign of life, and the first recall by command and over HTTP."""
    data, config = sample_life(bench), servers.write_config(bench.folder / "starts.toml")
    times = bench.sizes.starts
    healthy: list[float] = []
    recalled: list[float] = []
    progress = bench.bar("starts of serve")
    for i in range(times):
        with servers.serving(data, config) as server:
            healthy.append(server.healthy_s)
        with servers.serving(data, config) as server:
            _checked(servers.post(server, "/api/recall", {"query": QUESTION}))
            recalled.append(time.perf_counter() - server.began_s)
        progress(i + 1, times)
    yield taken_ms("start: serve to 200 of /healthz", healthy, HEALTHY_MS_MAX, f"{NOTE}, jobs on")
    yield taken_ms("start: serve to first /api/recall", recalled, FIRST_RECALL_MS_MAX, f"{NOTE}, jobs on")
    took = seconds(lambda _: _by_command(data, config), times, bench.bar("starts of recall"))
    yield taken_ms("start: paramecium recall --json", took, FIRST_RECALL_MS_MAX, f"{NOTE}, to its end")


def sample_life(bench: Bench) -> Path:
    """Returns the folder of the sample life with its index, made on first use."""
    folder = bench.folder / "sample-life"
    parts = wiring.build_parts(Settings(), data=folder)
    sample.bring_in(parts.of(sample.LIFE), bench.bar)
    return folder


def _by_command(data: Path, config: Path) -> None:
    _checked(load_json(servers.run(data, config, "recall", QUESTION, "--json")))


def _checked(found: Json) -> None:
    if not found["windows"]:
        raise Damaged("the sample life gave nothing back; a start without an answer is not measured")
