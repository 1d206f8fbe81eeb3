"""Which live segments to merge, and when: few of them at any time, and no row rewritten too often.

Knows sizes only. Pure.
Invariant: after what `plan` says is done, at most 12 segments are live. Of the segments merged, each but the smallest
is at most twice as large as the smaller ones together, and the base at most four times: so a row's segment grows by a
half (a quarter) each time the row is rewritten, which happens O(log n) times.
"""

from collections.abc import Sequence
from typing import Final

from paramecium.index.manifest import SegmentName

LIVE_MAX: Final = 12
GROWN_PASSAGES_MAX: Final = 2000
_BASE_SHARE = 4
_SHARE = 2


def grows(last: SegmentName | None, new_passages: int) -> bool:
    """Tells whether new passages are merged into the newest segment rather than put beside it: up to 2,000 together."""
    return last is not None and last.passages + new_passages <= GROWN_PASSAGES_MAX


def plan(sizes: Sequence[SegmentName]) -> tuple[SegmentName, ...] | None:
    """Returns the segments to merge into one now, in the order given, or None while no more than 12 are live.

    It takes the smallest, as many as must go, and on to the larger ones while they are worth it. The base, the largest,
    is taken only when all the others together hold more than a quarter of it.
    """
    if len(sizes) <= LIVE_MAX:
        return None
    *rest, base = sorted(sizes, key=lambda s: s.passages)
    taken = rest[: len(sizes) - LIVE_MAX + 1]
    held = sum(s.passages for s in taken)
    for segment in rest[len(taken) :]:
        if segment.passages > _SHARE * held:
            break
        taken.append(segment)
        held += segment.passages
    if len(taken) == len(rest) and base.passages < _BASE_SHARE * held:
        taken.append(base)
    return tuple(s for s in sizes if s in taken)
