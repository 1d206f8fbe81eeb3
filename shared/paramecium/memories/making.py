"""Makes what is dear to compute of the memories out of their state and vectors: words, days, neighbours, moments.

Knows nothing of stores and forms; the day marks come as a function of a note's content and date. Pure.
Invariant: the same state and rows make the same, whether in one go here or part by part (see `onward`).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

from paramecium.index.fold import fold
from paramecium.index.words import Scan
from paramecium.memories.rows import Rows
from paramecium.memories.state import Edge, Memory, Moment, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Marks: TypeAlias = Callable[[str, str], tuple[str, ...]]
Near: TypeAlias = tuple[tuple[int, int], ...]
"""Positions recalled next to one, each with how often: the most often first, then by position."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Is a state and all that was computed of it, in the order of its N memories (see `view.MemoryView`).

    `standing` (N) is false for what is superseded or retired. `row_of` (M) gives each row's position; `moment_of` (K)
    the moments that have a row in `moment_rows`, `opened` what they opened.
    """

    state: State
    memories: tuple[Memory, ...]
    position: Mapping[str, int]
    standing: NDArray[np.bool_]
    day: NDArray[np.int32]
    valid_from: NDArray[np.int32]
    valid_until: NDArray[np.int32]
    scan: Scan
    days: Mapping[str, tuple[int, ...]]
    edges: Neighbours
    rows: Rows
    row_of: NDArray[np.int64]
    moment_of: NDArray[np.int64]
    moment_rows: NDArray[np.int8]
    opened: tuple[tuple[int, ...], ...]


class Neighbours(Mapping[int, Near]):
    """Maps positions to what was recalled next to them, out of three arrays: made into tuples only when looked at.

    Those of position p are `near[ends[p]:ends[p + 1]]`, with `counts`.
    """

    def __init__(self, ends: NDArray[Any], near: NDArray[Any], counts: NDArray[Any]) -> None:
        self.ends, self.near, self.counts = ends, near, counts

    def __getitem__(self, position: int) -> Near:
        if not 0 <= position < len(self.ends) - 1:
            raise KeyError(position)
        a, b = int(self.ends[position]), int(self.ends[position + 1])
        if a == b:
            raise KeyError(position)
        return tuple(zip(self.near[a:b].tolist(), self.counts[a:b].tolist(), strict=True))

    def __iter__(self) -> Iterator[int]:
        return iter((self.ends[1:] != self.ends[:-1]).nonzero()[0].tolist())

    def __len__(self) -> int:
        return int((self.ends[1:] != self.ends[:-1]).sum())

    def pairs(self) -> tuple[list[int], list[int], list[int]]:
        """Returns every pair of neighbours once, as positions and how often."""
        import numpy as np

        counts = self.ends[1:].astype(np.int64) - self.ends[:-1].astype(np.int64)
        owners = np.repeat(np.arange(len(counts)), counts)
        once = owners < self.near
        return owners[once].tolist(), self.near[once].tolist(), self.counts[once].tolist()


def prepare(state: State, rows: Rows, marks: Marks) -> Prepared:
    """Returns all there is to compute of a state; `rows` are of its memories and no others."""
    memories = tuple(state.memories.values())
    position = {memory: place for place, memory in enumerate(state.memories)}
    notes = [memory.note for memory in memories]
    row_of = [position[i] for i in rows.ids]
    moment_of, moment_rows = moments_of(state.moments, rows)
    opened = tuple(tuple(position[i] for i in state.moments[m].memories) for m in moment_of)
    return Prepared(
        state,
        memories,
        position,
        standing(state, memories),
        ordinals(note.date for note in notes),
        ordinals(memory.valid_from for memory in memories),
        ordinals(memory.valid_until for memory in memories),
        Scan(map(folded, memories)),
        days_of(memories, 0, marks),
        neighbours(state.edges, position),
        rows,
        _whole(row_of),
        _whole(moment_of),
        moment_rows,
        opened,
    )


def folded(memory: Memory) -> str:
    """Returns the text in which a memory's words are found."""
    return fold(f"{memory.note.content}\n{memory.note.quote}")


def standing(state: State, memories: Sequence[Memory]) -> NDArray[np.bool_]:
    """Returns which memories are neither superseded nor retired."""
    import numpy as np

    stands = state.standing
    held = [not m.retired and (not m.superseded_by or stands(m) in ("live", "pinned")) for m in memories]
    return np.array(held, np.bool_)


def ordinals(days: Iterable[str]) -> NDArray[np.int32]:
    """Returns the ordinal of each YYYY-MM-DD, 0 for what is none."""
    import numpy as np

    return np.array([_ordinal(day) for day in days], np.int32)


def days_of(memories: Sequence[Memory], first: int, marks: Marks) -> dict[str, tuple[int, ...]]:
    """Returns for each mark of a day the positions of the memories that carry it, ascending, counted from `first`."""
    found: dict[str, list[int]] = {}
    for place, memory in enumerate(memories, first):
        for mark in dict.fromkeys(marks(memory.note.content, memory.note.date)):
            found.setdefault(mark, []).append(place)
    return {mark: tuple(places) for mark, places in found.items()}


def neighbours(edges: Mapping[Edge, int], position: Mapping[str, int]) -> Neighbours:
    """Returns the edges by position."""
    import numpy as np

    ends = np.array([(position[a], position[b]) for a, b in edges], np.int64).reshape(-1, 2)
    counts = np.array(list(edges.values()), np.int64)
    owner, near = np.concatenate((ends[:, 0], ends[:, 1])), np.concatenate((ends[:, 1], ends[:, 0]))
    both = np.concatenate((counts, counts))
    order = np.lexsort((near, -both, owner))
    bounds = np.searchsorted(owner[order], np.arange(len(position) + 1))
    return Neighbours(bounds.astype("<u4"), near[order].astype("<u4"), both[order].astype("<u4"))


def moments_of(moments: Sequence[Moment], rows: Rows) -> tuple[list[int], NDArray[np.int8]]:
    """Returns which moments have a vector of the rows' model, and these vectors (K, dims).

    It is the moment's own, or that of the message it answered, embedded anew.
    """
    import numpy as np

    asked = {name: rows.asked_rows[i] for i, name in enumerate(rows.asked)}
    found = [context_row(moment, rows) for moment in moments]
    vectors = [
        asked.get((m.conversation, m.message)) if row is None else row for m, row in zip(moments, found, strict=True)
    ]
    kept = [i for i, vector in enumerate(vectors) if vector is not None]
    return kept, np.array([vectors[i] for i in kept], np.int8).reshape(len(kept), rows.dims)


def context_row(moment: Moment, rows: Rows) -> NDArray[np.int8] | None:
    """Returns the vector a moment carries, None when it carries none of the rows' model."""
    import numpy as np

    context = moment.context
    if not rows.dims or context is None or context.get("model") != rows.model:
        return None
    try:
        body = b64decode(context["vector"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error):
        return None
    return np.frombuffer(body, np.int8) if len(body) == rows.dims else None


def _ordinal(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal() if day else 0
    except ValueError:
        return 0


def _whole(places: Sequence[int]) -> NDArray[np.int64]:
    import numpy as np

    return np.array(places, np.int64)
