"""How what the lanes found becomes one order: by rank, by validity, and each thing told once (pure).

Within a lane near-equals stand newest first, and nothing else does: recency never overturns relevance. Among lanes
reciprocal ranks are added (Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, 2009), K = 60, scaled so that a first
place is 1. How often a memory was recalled plays no part. Invariant: the same input gives the same order.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from paramecium.memories.view import MemoryView
from paramecium.recall.lanes import Found
from paramecium.settings import Lane

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K: Final = 60
NEAR_EQUAL: Final = 0.03
DUPLICATE_COSINE: Final = 0.95
COMPARED_MAX: Final = 24
VALIDITY_MIN: Final = 0.05
FADES_A_DAY: Final = 0.1
# Weights so near one another let the first of each lane stand before the third of any.
WEIGHTS: Final[Mapping[Lane, float]] = {
    "message": 1.0, "this_day": 0.993, "context": 0.986, "afterglow": 0.979, "edges": 0.972
}  # fmt: skip
MOST: Final[Mapping[Lane, int]] = {"message": 6, "this_day": 2, "context": 3, "afterglow": 3, "edges": 3}


class Chosen(NamedTuple):
    """Is one memory in the order: its position, its score, and the lanes that brought it, in the order of weights."""

    position: int
    score: float
    lanes: tuple[Lane, ...]


def ranked(view: MemoryView, found: Found, lane: Lane) -> list[int]:
    """Returns the best positions of a lane, as many as it may bring; those within 3 % of the best newest first."""
    most = MOST[lane]
    left = sorted(found, key=lambda p: (-found[p], -int(view.day[p]), -p))
    out: list[int] = []
    while left and len(out) < most:
        least = found[left[0]] * (1 - NEAR_EQUAL)
        equals = left[: sum(found[p] >= least for p in left)]
        out += sorted(equals, key=lambda p: (-int(view.day[p]), -p))
        left = left[len(equals) :]
    return out[:most]


def fused(view: MemoryView, lanes: Mapping[Lane, Sequence[int]], today: int) -> list[Chosen]:
    """Returns the memories of all lanes in one order, best first; of near-duplicates only the newest.

    `lanes` gives each lane's positions, best first; `today` is an ordinal.
    """
    scores: dict[int, float] = {}
    brought: dict[int, tuple[Lane, ...]] = {}
    for lane, weight in WEIGHTS.items():
        for rank, position in enumerate(lanes.get(lane, ()), 1):
            scores[position] = scores.get(position, 0.0) + weight * (K + 1) / (K + rank)
            brought[position] = (*brought.get(position, ()), lane)
    chosen = [Chosen(p, score * validity(view, p, today), brought[p]) for p, score in scores.items()]
    return _each_once(view, sorted(chosen, key=lambda c: -c.score))


def validity(view: MemoryView, position: int, today: int) -> float:
    """Returns 1 while a memory holds, and behind its last day e^(-0.1 a day), at least 0.05."""
    until = int(view.valid_until[position])
    late = today - until if until else 0
    return 1.0 if late <= 0 else max(VALIDITY_MIN, math.exp(-FADES_A_DAY * late))


def _each_once(view: MemoryView, chosen: list[Chosen]) -> list[Chosen]:
    """Puts the newest of each set of near-duplicates where the best of them stands."""
    compared = chosen[:COMPARED_MAX]
    same = _cosines(view, [c.position for c in compared]) >= DUPLICATE_COSINE
    out: list[Chosen] = []
    told: set[int] = set()
    for i, best in enumerate(compared):
        if i in told:
            continue
        alike = [j for j in range(len(compared)) if j not in told and (j == i or same[i, j])]
        told.update(alike)
        newest = max((compared[j] for j in alike), key=lambda c: (int(view.day[c.position]), c.position))
        out.append(newest._replace(score=best.score))
    return out + chosen[COMPARED_MAX:]


def _cosines(view: MemoryView, positions: Sequence[int]) -> "NDArray[np.float32]":
    """Cosines of memories with one another; 0 where one has no vector."""
    import numpy as np

    out = np.zeros((len(positions), len(positions)), np.float32)
    rows_at = np.flatnonzero(np.isin(view.row_of, positions))
    row_at = dict(zip(view.row_of[rows_at].tolist(), rows_at.tolist(), strict=True))
    known = [i for i, p in enumerate(positions) if p in row_at]
    if known:
        rows = view.rows[[row_at[positions[i]] for i in known]].astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        out[np.ix_(known, known)] = rows @ rows.T
    return out
