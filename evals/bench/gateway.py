"""What the gateway adds: to the first words of an answer, to a stream's speed, and in memory.

A fake service that answers at once stands behind a real `paramecium serve`; both are processes of their own. The
client has memory = false, and asks directly and through the gateway in turn.
"""

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final

from evals.bench import long_life, servers, starts
from evals.bench.fake_upstream import PIECE
from evals.bench.measure import Bench
from evals.bench.rows import MS, Bar, Row, rate, size_mb, taken_ms
from paramecium.errors import UpstreamTruncated
from paramecium.messages import Json

if TYPE_CHECKING:
    import httpx

OVERHEAD_MS_MAX: Final = 25.0
EVENTS_PER_S_MIN: Final = 2000.0
WARM: Final = 5
SAID: Final = "今天下班路上又看见那只猫了，它在便利店门口等人开门。"
TIMEOUT_S: Final = 60.0


@dataclass(slots=True)
class Timings:
    """Is when, after the request, came the first byte, the first words and the end of each answer, in seconds."""

    byte: list[float] = field(default_factory=list)
    words: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Way:
    """Is one way to ask: where, with what, and what an event with words holds."""

    url: str
    headers: dict[str, str]
    mark: bytes

    def body(self, model: str) -> Json:
        """Returns what is asked."""
        said = [{"role": "user", "content": SAID}]
        if "/v1/" in self.url:
            return {"model": model, "max_tokens": 1000, "stream": True, "messages": said}
        return {"message": SAID, "model": model}


def rows(bench: Bench) -> Iterator[Row]:
    """Yields the overhead on the first words, the speed of a flood of them, and the memory of the process."""
    import httpx

    data = bench.folder / "gateway-life"
    shutil.rmtree(data, ignore_errors=True)
    with servers.fake_upstream(bench.sizes.flood) as upstream, httpx.Client(trust_env=False, timeout=TIMEOUT_S) as web:
        config = servers.write_config(bench.folder / "gateway.toml", upstream)
        with servers.serving(data, config, "--no-jobs") as server:
            yield size_mb("memory: serve, at rest", servers.resident_bytes(server.pid), note="resident")
            through = Way(f"{server.url}/api/chat", {"x-api-key": servers.PLAIN_TOKEN}, b"event: text")
            ways = Way(f"{upstream}/v1/messages", {}, b'"text_delta"'), through
            yield from _first_words(bench, web, *ways)
            yield from _flood(bench, web, *ways)
            yield size_mb("memory: serve, after the turns above", servers.resident_bytes(server.pid), note="resident")


def memory_rows(bench: Bench) -> Iterator[Row]:
    """Yields the memory of a serving process that has searched the sample life, and the long one."""
    lives = {"the sample life": starts.sample_life(bench), "the long life": long_life.built(bench) / "life"}
    config = servers.write_config(bench.folder / "starts.toml")
    for what, data in lives.items():
        with servers.serving(data, config, "--no-jobs") as server:
            servers.post(server, "/api/recall", {"query": starts.QUESTION})
            size = servers.resident_bytes(server.pid)
            yield size_mb(f"memory: serve, after a recall of {what}", size, note="resident, mapped pages included")


def ask(web: "httpx.Client", way: Way, model: str, timings: Timings, pieces: int | None = None) -> None:
    """Asks once and notes the times; raises UpstreamTruncated when not every piece came."""
    began = time.perf_counter()
    got, searched, words = bytearray(), 0, 0.0
    with web.stream("POST", way.url, json=way.body(model), headers=way.headers) as answer:
        for data in answer.iter_raw():
            if not got:
                timings.byte.append(time.perf_counter() - began)
            got += data
            if not words and got.find(way.mark, searched) >= 0:
                words = time.perf_counter() - began
            searched = max(len(got) - len(way.mark), 0)
    timings.words.append(words)
    timings.end.append(time.perf_counter() - began)
    came = got.count(PIECE.encode())
    if answer.status_code != 200 or not words or came < (pieces or 1):
        raise UpstreamTruncated(f"{way.url} answered {answer.status_code} with {came} pieces: {bytes(got[:300])!r}")


def _first_words(bench: Bench, web: "httpx.Client", direct: Way, through: Way) -> Iterator[Row]:
    plain, gated = Timings(), Timings()
    progress = bench.bar("first words")
    for i in range(-WARM, bench.sizes.calls):
        ask(web, direct, servers.MODEL, plain if i >= 0 else Timings())
        ask(web, through, servers.MODEL, gated if i >= 0 else Timings())
        progress(max(i + 1, 0), bench.sizes.calls)
    yield taken_ms("gateway: first words, service asked directly", plain.words)
    yield taken_ms(
        "gateway: first words, through /api/chat", gated.words, note="a new conversation each, memory = false"
    )
    yield taken_ms(
        "gateway: first byte, through /api/chat", gated.byte, note="the start event, once the question is stored"
    )
    yield taken_ms("gateway: whole short turn, through /api/chat", gated.end)
    best = (min(gated.words) - min(plain.words)) * MS
    middle = (median(gated.words) - median(plain.words)) * MS
    yield Row("gateway: overhead on the first words", "ms", best, middle, len(gated.words), Bar(OVERHEAD_MS_MAX))


def _flood(bench: Bench, web: "httpx.Client", direct: Way, through: Way) -> Iterator[Row]:
    plain, gated = Timings(), Timings()
    count, progress = bench.sizes.flood, bench.bar("floods")
    for i in range(bench.sizes.floods):
        ask(web, direct, servers.FLOOD, plain, count)
        ask(web, through, servers.FLOOD, gated, count)
        progress(i + 1, bench.sizes.floods)
    yield rate("relay: events from the service directly", "events/s", count, plain.end)
    note = f"{count:,} small pieces, to the end of the turn"
    yield rate("relay: events through /api/chat", "events/s", count, gated.end, EVENTS_PER_S_MIN, note)
