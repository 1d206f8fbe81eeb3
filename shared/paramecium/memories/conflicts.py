"""Conflicts: whether a new memory tells otherwise than earlier ones, or the same again, and what follows from it.

Pure. Invariant: the later words win, whichever were noted first; what is pinned or retired is never superseded.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from paramecium.memories.events import Note, What
from paramecium.memories.questions import Question
from paramecium.memories.state import State

CANDIDATES_MAX: Final = 10
CONFIDENCE_MIN: Final = 0.75

Relation = Literal["contradicts", "updates", "repeats"]


class Verdict(NamedTuple):
    """Is what the model says of one earlier memory: how the new one relates to it, how surely (0 to 1), and why."""

    target_id: str
    relation: Relation
    confidence: float
    reason: str = ""


def ask(note: Note, candidates: Sequence[Note], *, language: str) -> Question:
    """Returns the question about a new note and the earlier ones most similar to it, of which 10 are shown."""
    raise NotImplementedError


def read_answer(answer: str, candidates: Sequence[Note]) -> tuple[Verdict, ...]:
    """Returns the verdicts of an answer, one a candidate; what cannot be read is none."""
    raise NotImplementedError


def consequences(state: State, note: Note, verdicts: Sequence[Verdict]) -> tuple[What, ...]:
    """Returns the events that verdicts of 0.75 and more lead to (Superseded, Revived), 10 at most."""
    raise NotImplementedError


def said_again(state: State, note: Note) -> tuple[What, ...]:
    """Returns what revives the superseded memories whose folded quote this later note says again, 10 at most."""
    raise NotImplementedError
