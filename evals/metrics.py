"""How good a ranked answer is (pure).

Knows positions and sets; knows nothing of messages or models. Invariant: every figure lies between 0 and 1.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

RANK_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Answered:
    """Is how one question fared: the rank of its first right message (from 1; None when none came), and its windows.

    `shown` tells whether any window held a right message; `tokens` is about what all windows cost a model.
    """

    kind: str
    rank: int | None
    shown: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class Score:
    """Is how `n` questions fared together, each figure a mean; without questions all are 0."""

    n: int
    r_at_1: float
    r_at_5: float
    mrr: float
    any_at_5: float
    tokens: float


def first_rank(ranked: Iterable[Hashable], right: Collection[Hashable]) -> int | None:
    """Returns the rank of the first right one, from 1, or None when none of `ranked` is right."""
    return next((rank for rank, item in enumerate(ranked, 1) if item in right), None)


def score(answered: Sequence[Answered]) -> Score:
    """Returns the means over questions: R@1, R@5 and MRR of the messages, any@5 and tokens of the windows.

    MRR counts every rank (Voorhees, The TREC-8 Question Answering Track Report, 1999); a message that was not found
    counts 0.
    """
    n = len(answered)
    return Score(
        n,
        _mean(a.rank == 1 for a in answered),
        _mean(a.rank is not None and a.rank <= RANK_MAX for a in answered),
        _mean(1 / a.rank if a.rank else 0 for a in answered),
        _mean(a.shown for a in answered),
        _mean(a.tokens for a in answered),
    )


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
