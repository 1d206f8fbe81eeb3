"""Keeps the snapshot: what has no vector yet gets one, blocks are written, then the pointer that names them.

Order: the block, then the pointer, which is replaced only by whoever read the one before; so a run may die anywhere,
and the next goes on from what the pointer says. Invariant: vectors of two models never stand under one pointer, a
block that is named stands whole, and nothing is written when nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from paramecium.errors import VersionMismatch
from paramecium.memories.block import pack_base, pack_rows
from paramecium.memories.events import Event
from paramecium.memories.keeping_plan import (
    VECTOR_BLOCKS_MAX,
    Keeper,
    Kept,
    Look,
    OffPath,
    Work,
    looked,
    merged,
    needs_base,
    standing,
)
from paramecium.memories.ledger import MENDING
from paramecium.memories.making import context_row, prepare
from paramecium.memories.onward import Onward, all_rows
from paramecium.memories.rows import Asked, Rows, made, no_rows, to_embed
from paramecium.memories.snapshot import nothing, retiring, store_block, write_pointer
from paramecium.memories.snapshot_form import Pointer
from paramecium.memories.state import State, fold
from paramecium.store import keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRIES_MAX: Final = 5
ROWS_AT_ONCE: Final = 1000
EMBED_AT_ONCE: Final = 16


def keep_snapshot(
    keeper: Keeper,
    off_path: Callable[[State], OffPath] = lambda _: {},
    *,
    anew: bool = False,
    whole: bool = False,
    look: Callable[[], Look | None] = lambda: None,
) -> Kept:
    """Brings the snapshot up to the ledger's end.

    `off_path` names for each conversation it looked at the memories off its path; others stay as they were. `look`,
    asked after it, tells of how many that was so.
    `anew` embeds and folds everything again and puts the result in place at once; `whole` makes a new base of whatever
    came since the last. Raises StoreUnavailable, Stopped, OutcomeUnknown, ModelMissing, with `anew` Damaged when an
    event cannot be read, and VersionMismatch when 5 others in a row were faster: what stands is sound in every case.
    """
    run = _Run(keeper)
    for _ in range(TRIES_MAX):
        try:
            return run.keep(off_path, look, anew=anew, whole=whole)
        except VersionMismatch:
            continue
    raise VersionMismatch(f"{keys.memory_snapshot(keeper.life)}: {TRIES_MAX} writers in a row were faster")


class _Run:
    """Holds what one run knows: vectors it made, to be used again when another writer was faster."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._vectors: dict[str | Asked, NDArray[np.float32]] = {}

    def keep(
        self, off_path: Callable[[State], OffPath], look: Callable[[], Look | None], *, anew: bool, whole: bool
    ) -> Kept:
        found = standing(self._keeper)
        fresh = anew or found.onward.damaged or found.pointer.model != self._keeper.embedder.id
        base = nothing() if fresh else found.onward.prepared
        start = State() if anew else found.onward.prepared.state
        state = fold(start, self._events(start.upto, anew=anew))
        work = Work(found, Onward(base, () if fresh else found.onward.since), state, fresh)
        work.off_path = merged(found.pointer.off_path, off_path(state), state)
        work.looked = looked(found.pointer, look())
        return self._finished(work, anew=anew, whole=whole)

    def _events(self, from_n: int, *, anew: bool) -> list[Event]:
        """A snapshot never tells of more than can be read: one that stands is not made anew, it ends at the damage."""
        events: list[Event] = []
        for found in self._keeper.ledger.found(from_n):
            if isinstance(found, Event):
                events.append(found)
                continue
            if anew:
                raise found
            self._keeper.warn(f"the snapshot of the memories ends before what is damaged; {MENDING}: {found}")
            break
        return events

    def _finished(self, work: Work, *, anew: bool, whole: bool) -> Kept:
        todo = [*self._missing(work)]
        batches = [todo[at : at + ROWS_AT_ONCE] for at in range(0, len(todo), ROWS_AT_ONCE)]
        if work.fresh and len(batches) > 1 and not anew:
            self._base(work)  # without a vector yet: meanwhile words find everything, and nobody reads all events
        done = 0
        for i, batch in enumerate(batches):
            rows = self._rows(work, batch, done, len(todo))
            work.onward = replace(work.onward, since=(*work.onward.since, rows))
            done += len(batch)
            if i < len(batches) - 1 and not anew:
                self._commit(work, rows)
            else:
                work.unnamed = (*work.unnamed, rows)
        based = needs_base(work, anew=anew, whole=whole)
        written = based or bool(work.unnamed) or work.is_changed
        if based:
            self._base(work)
        elif written:
            self._commit(work, *work.unnamed)
        return Kept(len(todo), based, written)

    def _missing(self, work: Work) -> list[str | Asked]:
        """Returns the memories, and the messages of moments, that have no vector of this model."""
        embedder, known = self._keeper.embedder, all_rows(work.onward.prepared, work.onward.since, work.state)
        mine = replace(known, model=embedder.id, shipped=embedder.mean)
        have, heard = set(known.ids), set(known.asked)
        todo: list[str | Asked] = [memory for memory in work.state.memories if memory not in have]
        for moment in work.state.moments:
            asked = moment.conversation, moment.message
            if moment.context is None or not moment.message or asked in heard:
                continue
            heard.add(asked)
            if context_row(moment, mine) is None and self._text(asked) is not None:
                todo.append(asked)
        return todo

    def _text(self, asked: Asked) -> str | None:
        return self._keeper.text_of(*asked)

    def _rows(self, work: Work, batch: list[str | Asked], done: int, of: int) -> Rows:
        import numpy as np

        embedder = self._keeper.embedder
        for at in range(0, len(batch), EMBED_AT_ONCE):
            self._embed(work.state, batch[at : at + EMBED_AT_ONCE])
            self._keeper.progress(min(done + at + EMBED_AT_ONCE, done + len(batch)), of)
            self._keeper.breathe()
        ids = [name for name in batch if isinstance(name, str)]
        asked = [name for name in batch if not isinstance(name, str)]
        vectors, heard = (
            np.array([self._vectors[name] for name in names], np.float32).reshape(len(names), embedder.dims)
            for names in (ids, asked)
        )
        return made(embedder.id, embedder.mean, ids, vectors, asked, heard)

    def _embed(self, state: State, batch: list[str | Asked]) -> None:
        new = [name for name in batch if name not in self._vectors]
        ids = [name for name in new if isinstance(name, str)]
        if ids:
            rows = self._keeper.embedder.passages([to_embed(state.memories[i].note) for i in ids])
            self._vectors |= dict(zip(ids, rows, strict=True))
        for name in new:
            if not isinstance(name, str):
                self._vectors[name] = self._keeper.embedder.query(self._text(name) or "")

    def _commit(self, work: Work, *rows: Rows) -> None:
        """Names new blocks of vectors behind those that stand; when they get too many they become one."""
        k, standing = self._keeper, work.standing
        names = () if work.fresh else standing.pointer.vectors
        if len(names) + len(rows) > VECTOR_BLOCKS_MAX:
            names = ()
            rows = (all_rows(nothing(), work.onward.since, work.state),)
        names += tuple(store_block(k.store, k.life, k.now(), pack_rows(part)) for part in rows)
        upto, base = (0, None) if work.fresh else (standing.pointer.upto, standing.pointer.base)
        pointer = Pointer(k.embedder.id, upto, base, names, work.off_path, looked=work.looked)
        self._write(work, pointer)

    def _base(self, work: Work) -> None:
        k = self._keeper
        rows = all_rows(work.onward.prepared, work.onward.since, work.state)
        rows = rows if rows.dims else no_rows(k.embedder.id, k.embedder.mean)
        body = pack_base(prepare(work.state, rows, k.marks))
        name = store_block(k.store, k.life, k.now(), body)
        self._write(work, Pointer(k.embedder.id, work.state.upto, name, (), work.off_path, looked=work.looked))

    def _write(self, work: Work, pointer: Pointer) -> None:
        k = self._keeper
        pointer = retiring(work.standing.pointer, pointer, k.now())
        written = write_pointer(k.store, k.life, work.standing.record, pointer, k.writer)
        work.standing = replace(work.standing, record=written, pointer=pointer)
        work.fresh, work.unnamed = False, ()
