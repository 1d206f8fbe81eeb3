"""A view of memories made by hand: each with its content, its vector from an embedder, and what became of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np

from paramecium.index.embedder import Embedding
from paramecium.index.fold import fold
from paramecium.index.vectors import quantise
from paramecium.index.words import Scan
from paramecium.memories.day_marks import marks_in
from paramecium.memories.events import Note
from paramecium.memories.state import Memory, State
from paramecium.memories.view import MemoryView, Scanned


class Kept(NamedTuple):
    """Is one memory of a test; `quote` stands in message `m-<id>` of `conversation`, from character 0."""

    id: str
    content: str
    date: str = ""
    quote: str = ""
    conversation: str = "talk"
    live: bool = True
    valid_from: str = ""
    valid_until: str = ""
    superseded_by: str = ""


Moments = Sequence[tuple[str, Sequence[int]]]
"""What was said when memories were opened, and their positions."""


def memory_view(
    kept: Sequence[Kept],
    embedder: Embedding,
    moments: Moments = (),
    edges: Mapping[int, tuple[tuple[int, int], ...]] = {},
) -> MemoryView:
    """Returns the view of memories in the order given."""
    notes = [_note(k) for k in kept]
    rows = embedder.passages([n.content for n in notes])
    mean = (rows.sum(axis=0) + 200 * embedder.mean) / (len(rows) + 200)
    asked = [embedder.query(text) for text, _ in moments]
    memories = tuple(
        Memory(n, superseded_by=k.superseded_by, valid_from=k.valid_from, valid_until=k.valid_until)
        for n, k in zip(notes, kept, strict=True)
    )
    return MemoryView(
        state=State(memories={m.note.id: m for m in memories}),
        memories=memories,
        live=np.array([k.live for k in kept], np.bool_),
        day=_days(k.date for k in kept),
        valid_from=_days(k.valid_from for k in kept),
        valid_until=_days(k.valid_until for k in kept),
        model=embedder.id,
        mean=mean.astype(np.float32),
        rows=quantise(rows - embedder.mean),
        row_of=np.arange(len(rows), dtype=np.int64),
        scans=(Scanned(Scan([fold(f"{n.content}\n{n.quote}") for n in notes]), 0),),
        days=_marked(notes),
        moment_rows=quantise(np.array(asked, np.float32).reshape(len(asked), embedder.dims)),
        moment_memories=tuple(tuple(positions) for _, positions in moments),
        edges=edges,
        position={n.id: i for i, n in enumerate(notes)},
    )


@dataclass
class FakeViews:
    """Gives one view, as often as asked."""

    standing: MemoryView
    asked: int = 0

    def view(self) -> MemoryView:
        """Returns it."""
        self.asked += 1
        return self.standing


def _note(kept: Kept) -> Note:
    quote = kept.quote or kept.content[:20]
    return Note(kept.id, kept.content, quote, kept.conversation, f"m-{kept.id}", 0, 0, len(quote), kept.date)


def _days(days: Iterable[str]) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    return np.array([date.fromisoformat(day).toordinal() if day else 0 for day in days], np.int32)


def _marked(notes: Sequence[Note]) -> Mapping[str, tuple[int, ...]]:
    days: dict[str, tuple[int, ...]] = {}
    for position, note in enumerate(notes):
        for mark in marks_in(note.content, note.date):
            days[mark] = (*days.get(mark, ()), position)
    return days
