"""What a benchmark says: one figure, its bar, and whether it keeps it (pure).

Invariant: a bar is read on the best of the measurements, since a shared machine can only make them worse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from paramecium.messages import Json

MS: Final = 1000.0
MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class Bar:
    """Is what a figure must keep: at most `limit`, or at least it when `is_least`."""

    limit: float
    is_least: bool = False

    def keeps(self, value: float) -> bool:
        """Tells whether a value keeps the bar."""
        return value >= self.limit if self.is_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.is_least else '≤'} {self.limit:,.4g}"


@dataclass(frozen=True, slots=True)
class Row:
    """Is one figure: the best and the median of `n` measurements, in `unit`."""

    name: str
    unit: str
    best: float
    median: float
    n: int
    bar: Bar | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """Returns ok or over; nothing where there is no bar."""
        return "" if self.bar is None else "ok" if self.bar.keeps(self.best) else "over"

    def to_json(self) -> Json:
        """Returns the row as a document's part; numbers to four digits after the point."""
        bar = None if self.bar is None else str(self.bar)
        figures = {"best": round(self.best, 4), "median": round(self.median, 4), "unit": self.unit, "n": self.n}
        return {"row": self.name, **figures, "bar": bar, "verdict": self.verdict, "note": self.note}


def taken_ms(name: str, took_s: Sequence[float], bar_ms: float | None = None, note: str = "") -> Row:
    """Returns the row of how long something took; the best is the shortest."""
    bar = None if bar_ms is None else Bar(bar_ms)
    return Row(name, "ms", min(took_s) * MS, median(took_s) * MS, len(took_s), bar, note)


def rate(name: str, unit: str, count: int, took_s: Sequence[float], least: float | None = None, note: str = "") -> Row:
    """Returns the row of how many a second were done, `count` in each measurement; the best is the most."""
    per_s = [count / max(took, 1e-9) for took in took_s]
    bar = None if least is None else Bar(least, is_least=True)
    return Row(name, unit, max(per_s), median(per_s), len(per_s), bar, note)


def size_mb(name: str, size: int, bar_mb: float | None = None, note: str = "") -> Row:
    """Returns the row of a size in bytes, shown in megabytes of 1,000,000."""
    bar = None if bar_mb is None else Bar(bar_mb)
    return Row(name, "MB", size / MB, size / MB, 1, bar, note)
