"""How calls are timed, and how large everything is that a benchmark does."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evals import report

ROOT: Final = Path(__file__).resolve().parents[2]
OUT: Final = ROOT / "evals" / "out"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Is how much is done: a test does little, the bench what the bars are about."""

    passages: int = 300_000
    batch: int = 20_000
    calls: int = 50
    starts: int = 5
    messages: int = 10_000
    flood: int = 20_000
    floods: int = 5
    embedded: int = 20
    memories: int = 20_000
    moments: int = 5_000
    sha256_bytes: int = 100_000_000


@dataclass(frozen=True, slots=True)
class Bench:
    """Is one run of the bench: where it keeps what it made, how it shows its progress, and its sizes."""

    folder: Path = OUT
    sizes: Sizes = field(default_factory=Sizes)
    bar: report.Bar = report.silent_bar


def seconds(run: Callable[[int], object], times: int, progress: report.Progress) -> list[float]:
    """Returns how long each call of `run` took; it gets the number of the call."""
    took: list[float] = []
    for i in range(times):
        began = time.perf_counter()
        run(i)
        took.append(time.perf_counter() - began)
        progress(i + 1, times)
    return took
