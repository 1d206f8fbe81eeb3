"""Finding memories: by resemblance and by words, within the days and the conversation a query asks for.

Knows how memories are ranked for a question, not for the menu. Invariant: what is given back are notes with the quote
they stand on; a memory that is superseded, retired or off its path is none, but what a note replaced is told beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final, Protocol

from paramecium.index import vectors, words
from paramecium.memories.state import Memory
from paramecium.memories.view import MemoryView
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Near, fuse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.recall.semantic import Nearness

TAKEN: Final = 50
NOTES_MAX: Final = 4
RELATIVE_FLOOR: Final = 0.5
FLOOR: Final = "notes"


@dataclass(frozen=True, slots=True)
class FoundNote:
    """Is a memory that answers, its score, and the memories it superseded."""

    memory: Memory
    score: float
    earlier: tuple[Memory, ...] = ()


class MemoryViews(Protocol):
    """Gives the memories of this moment."""

    def view(self) -> MemoryView:
        """Returns what can be found of the memories now; raises StoreUnavailable."""
        ...


def find(view: MemoryView, near: "Nearness", text: str, limits: Limits) -> Iterator[FoundNote]:
    """Yields the memories that answer `text`, best first, each once; those far behind the best are left out.

    A superseded memory that answers leads to the one that holds now, which tells of it.
    """
    by_words = _word_scores(view, words.terms(text))
    nearest = _nearest(view, near.raw(view.model, text))
    best, given = 0.0, set[str]()
    for hit in fuse(nearest, by_words, near.floor_of(FLOOR)):
        memory = view.state.holding(view.memories[hit.place[1]])
        if memory is None or memory.note.id in given or not _allowed(view, memory, limits):
            continue
        best = best or hit.score
        if hit.score < best * RELATIVE_FLOOR:
            return
        given.add(memory.note.id)
        yield FoundNote(memory, hit.score, view.state.earlier(memory.note.id))


def _allowed(view: MemoryView, memory: Memory, limits: Limits) -> bool:
    """Dates are those of the note; what the asker has before its eyes is left to who knows the path."""
    note = memory.note
    if limits.conversation not in (None, note.conversation) or not view.live[view.position[note.id]]:
        return False
    if limits.days is None:
        return True
    return limits.days[0] <= _ordinal(note.date) <= limits.days[1]


def _nearest(view: MemoryView, query: "NDArray[np.float32] | None") -> dict[tuple[str, int], Near]:
    if query is None or not len(view.rows):
        return {}
    positions, scores = vectors.search(view.rows, query - view.mean, TAKEN)
    found = view.row_of[positions].tolist()
    return {("", p): Near(score, 0, 0) for p, score in zip(found, scores.tolist(), strict=True)}


def _word_scores(view: MemoryView, terms: Sequence[str]) -> dict[tuple[str, int], float]:
    statistics = words.together(scanned.scan.statistics(terms) for scanned in view.scans)
    found: dict[tuple[str, int], float] = {}
    for scanned in view.scans:
        scores = scanned.scan.bm25(terms, statistics)
        found |= {("", scanned.first + i): float(scores[i]) for i in scores.nonzero()[0].tolist()}
    return found


def _ordinal(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0
