"""Memories for tests: notes cut from messages, and the view that a reader would make of them."""

from collections.abc import Sequence

import numpy as np

from paramecium.index import vectors
from paramecium.index.embedder import Embedding
from paramecium.index.fold import fold
from paramecium.index.words import Scan
from paramecium.memories.events import Added, Event, Note, Superseded, What
from paramecium.memories.state import State
from paramecium.memories.state import fold as folded
from paramecium.memories.view import MemoryView, Scanned

AT = "2026-06-12T23:47:00.000+08:00"


def note_of(content: str, text: str, quote: str, conversation: str = "c", n: int = 0, **more: str) -> Note:
    """Returns a note on words that stand in a message's text."""
    start = text.index(quote)
    ident = f"m-{conversation}-{n}-{start}"
    said = {"date": "2026-06-12", "said_at": AT, "speaker": "阿月", "role": "user"} | more
    return Note(ident, content, quote, conversation, f"{conversation}-{n}", n, start, start + len(quote), **said)


def event_of(what: What, n: int = 0) -> Event:
    """Returns an event with an id made of its number."""
    return Event(f"e-{n}", AT, "extract", what)


def state_of(*whats: What | Note) -> State:
    """Returns the fold of what happened; a note stands for its being added."""
    events = [event_of(Added(w) if isinstance(w, Note) else w, n) for n, w in enumerate(whats)]
    return folded(State(), events)


def superseding(old: Note, new: Note) -> tuple[Note, Note, Superseded]:
    """Returns what happened when `new` told otherwise than `old`."""
    return old, new, Superseded(old.id, new.id, "updates")


def view_of(state: State, embedder: Embedding, off_path: Sequence[str] = ()) -> MemoryView:
    """Returns the view of a state, every memory with a vector."""
    memories = tuple(state.memories.values())
    raw = embedder.passages([m.note.content for m in memories]).reshape(-1, embedder.dims)
    live = [state.standing(m) in ("live", "pinned") and m.note.id not in off_path for m in memories]
    zeros = np.zeros(len(memories), np.int32)
    return MemoryView(
        state=state,
        memories=memories,
        live=np.array(live, np.bool_),
        day=zeros,
        valid_from=zeros,
        valid_until=zeros,
        model=embedder.id,
        mean=embedder.mean,
        rows=vectors.quantise(raw - embedder.mean),
        row_of=np.arange(len(memories)),
        scans=(Scanned(Scan(fold(f"{m.note.content}\n{m.note.quote}") for m in memories), 0),),
        days={},
        moment_rows=np.empty((0, embedder.dims), np.int8),
        moment_memories=(),
        edges={},
        position={m.note.id: i for i, m in enumerate(memories)},
    )


class Views:
    """Gives a view that the test sets, or fails as the test says."""

    def __init__(self, view: MemoryView | Exception) -> None:
        self.now = view

    def view(self) -> MemoryView:
        """Returns the view."""
        if isinstance(self.now, Exception):
            raise self.now
        return self.now
