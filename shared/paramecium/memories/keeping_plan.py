"""What stands of the snapshot, what one run makes of it, and when a new base is due.

Knows who keeps a snapshot and with what; writes nothing (see `keeping`).
Invariant: what cannot be read counts as nothing, and still tells the version it is replaced under.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from paramecium import clock
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.embedder import Embedding
from paramecium.memories.ledger import Ledger
from paramecium.memories.making import Marks
from paramecium.memories.onward import Onward, continues
from paramecium.memories.rows import Rows
from paramecium.memories.snapshot import generation_of, load, nothing, read_pointer
from paramecium.memories.snapshot_form import Pointer
from paramecium.memories.state import State
from paramecium.memories.views import day_marks
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.record import Record

VECTOR_BLOCKS_MAX: Final = 16
TAIL_MAX: Final = 256

TextOf = Callable[[str, str], str | None]
OffPath = Mapping[str, Collection[str]]


@dataclass(frozen=True)
class Keeper:
    """Holds what it takes to keep the snapshot of one life; `folder` takes downloads.

    `text_of(conversation, message)` gives the text of a message, None when it has none; `breathe` is called in the
    middle of long work and may raise to stop it.
    """

    store: ObjectStore
    life: str
    ledger: Ledger
    embedder: Embedding
    folder: Path
    text_of: TextOf = lambda _conversation, _message: None
    progress: Callable[[int, int], None] = lambda _done, _of: None
    breathe: Callable[[], None] = lambda: None
    warn: Callable[[str], None] = lambda _: None
    marks: Marks = day_marks
    now: clock.Now = clock.now
    writer: str = field(default_factory=clock.new_id)


class Look(NamedTuple):
    """Says that of the conversations touched since moment `since` ("": of all) the paths were looked at, at `at`."""

    since: str
    at: str


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts the memories and moments that got a vector; tells whether a new base, or anything, was written."""

    embedded: int = 0
    based: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Is the snapshot as it stands, and the record its pointer is replaced under."""

    record: Record
    pointer: Pointer
    onward: Onward


@dataclass(slots=True)
class Work:
    """Is what stands, and what this run makes of it; `unnamed` are rows that no pointer names yet."""

    standing: Standing
    onward: Onward
    state: State
    fresh: bool
    unnamed: tuple[Rows, ...] = ()
    off_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    looked: str = ""

    @property
    def is_changed(self) -> bool:
        """Tells whether the pointer is to be written though no vector came."""
        before = self.standing.pointer
        return self.standing.onward.damaged or (self.off_path, self.looked) != (before.off_path, before.looked)


def standing(keeper: Keeper) -> Standing:
    """Returns what stands; what cannot be read counts as nothing, and is replaced."""
    damaged = Onward(nothing(), damaged=True)
    try:
        blob = keeper.store.get(keys.memory_snapshot(keeper.life))
    except KeyMissing:
        return Standing(Record({}, None), Pointer(), Onward(nothing()))
    try:
        pointer = read_pointer(blob, keeper.life)
    except Damaged as error:
        keeper.warn(f"the snapshot of the memories is made anew: {error}")
        return Standing(Record({}, blob.version), Pointer(), damaged)
    record = Record({"generation": generation_of(blob)}, blob.version)
    try:
        return Standing(record, pointer, load(keeper.store, pointer, keeper.folder).onward)
    except (Damaged, KeyMissing) as error:
        keeper.warn(f"the snapshot of the memories is made anew: {error}")
        return Standing(record, pointer, damaged)


def needs_base(work: Work, *, anew: bool, whole: bool) -> bool:
    """Tells whether everything is to be written into one new block."""
    pointer, state = work.standing.pointer, work.state
    if not state.upto:
        return False
    if anew or pointer.base is None or work.fresh:
        return True
    if whole and (pointer.upto < state.upto or work.onward.since):
        return True
    is_long = state.upto - pointer.upto > TAIL_MAX or len(work.onward.since) > VECTOR_BLOCKS_MAX
    before = work.onward.prepared.state
    return is_long or (before.upto > 0 and not continues(before, state))


def looked(before: Pointer, look: Look | None) -> str:
    """Returns up to when all paths were looked at; a look is worth nothing on top of another one than it began from."""
    return look.at if look and look.since in ("", before.looked) else before.looked


def merged(old: OffPath, new: OffPath, state: State) -> dict[str, tuple[str, ...]]:
    """Returns the off path of all conversations, those in `new` as they are there."""
    both = {c: tuple(sorted(i for i in set(ids) if i in state.memories)) for c, ids in {**old, **new}.items()}
    return {conversation: ids for conversation, ids in sorted(both.items()) if ids}
