"""The snapshot as it stands in the store: the pointer, and the blocks it names, each checked before it is read.

Knows how a snapshot is read and its pointer replaced; what is in it, and when it is made anew, is known elsewhere.
Invariant: nothing is read of a block whose sha256 is not the one the pointer names; what cannot be read raises Damaged
or KeyMissing, and never gives half of itself.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from paramecium import clock
from paramecium.errors import Damaged
from paramecium.index.manifest import RETIRED_FOR, ObjectName, Retired
from paramecium.index.mapped import open_checked, remove_download
from paramecium.memories.block import unpack_base, unpack_rows
from paramecium.memories.making import Prepared, prepare
from paramecium.memories.onward import Onward
from paramecium.memories.rows import no_model
from paramecium.memories.snapshot_form import Pointer, pointer_from, pointer_to
from paramecium.memories.state import State
from paramecium.store import keys, record
from paramecium.store.base import Blob, ObjectStore


@dataclass(frozen=True, slots=True)
class Loaded:
    """Is a snapshot that was read, and the local files of its blocks."""

    onward: Onward
    files: tuple[Path, ...] = ()

    def remove_downloads(self, folder: Path, kept: Collection[Path] = ()) -> None:
        """Removes its downloads but those of `kept`; what is mapped stays readable."""
        for path in self.files:
            if path not in kept:
                remove_download(path, folder)


def read_pointer(blob: Blob, life: str) -> Pointer:
    """Returns the pointer an object holds; raises Damaged naming the key."""
    key = keys.memory_snapshot(life)
    return pointer_from(record.parse(key, blob.body), key)


def generation_of(blob: Blob) -> int:
    """Returns how often the pointer was written, 0 when it does not say."""
    generation = record.parse("", blob.body).get("generation")
    return generation if type(generation) is int and generation > 0 else 0


def load(store: ObjectStore, pointer: Pointer, folder: Path) -> Loaded:
    """Returns what the pointer names, mapped; raises KeyMissing, StoreUnavailable, and Damaged naming the key."""
    files: list[Path] = []
    prepared = nothing()
    if pointer.base is not None:
        path, data = open_checked(store, pointer.base, folder)
        files.append(path)
        prepared = unpack_base(data, pointer.base.key)
    if prepared.state.upto != pointer.upto:
        raise Damaged(f"the snapshot tells of {pointer.upto} events, its base of {prepared.state.upto}")
    since = []
    for name in pointer.vectors:
        path, data = open_checked(store, name, folder)
        files.append(path)
        since.append(unpack_rows(data, name.key))
    rows = [part for part in (prepared.rows, *since) if part.dims]
    if any((part.model, part.dims) != (pointer.model, rows[0].dims) for part in rows):
        raise Damaged(f"the snapshot is of the model {pointer.model}, its blocks are not")
    return Loaded(Onward(prepared, tuple(since), pointer.off_path), tuple(files))


def nothing() -> Prepared:
    """Returns what there is before the first event."""
    return prepare(State(), no_model(), lambda _content, _date: ())


def store_block(store: ObjectStore, life: str, now: datetime, body: bytes) -> ObjectName:
    """Returns the name of a new block once it stands; no pointer names it yet."""
    name = ObjectName(keys.memory_block(life, clock.new_id(now)), hashlib.sha256(body).hexdigest(), len(body))
    store.create(name.key, body)
    return name


def retiring(old: Pointer, new: Pointer, at: datetime) -> Pointer:
    """Returns `new` with the blocks it drops in `retired`, where none stays longer than 24 h before `at`."""
    live = {o.key for o in new.objects()}
    dropped = [Retired(o.key, at.isoformat()) for o in old.objects() if o.key not in live]
    kept = [r for r in old.retired if datetime.fromisoformat(r.at) > at - RETIRED_FOR]
    return replace(new, retired=(*kept, *dropped))


def write_pointer(store: ObjectStore, life: str, based_on: record.Record, new: Pointer, writer: str) -> record.Record:
    """Returns what stands after `new` was written over `based_on`; raises VersionMismatch, OutcomeUnknown."""
    return record.write(store, keys.memory_snapshot(life), based_on, pointer_to(new), writer)
