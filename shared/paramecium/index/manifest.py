"""The manifest: the one pointer to what the index is made of, and how far it has read.

Knows when one manifest may follow another, and how one is read and replaced; its values stand in `manifest_form`.
Invariant: no manifest is written that breaks a rule of `broken`, nor over one its writer has not read.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest_form import (
    Coverage,
    Fulltext,
    Manifest,
    ObjectName,
    Retired,
    SegmentName,
    VaultName,
    manifest_from,
    manifest_to,
    wrong_names,
)
from paramecium.store import keys, record
from paramecium.store.base import Blob, ObjectStore

__all__ = [
    "Coverage",
    "Fulltext",
    "Manifest",
    "ManifestCache",
    "ObjectName",
    "Retired",
    "SegmentName",
    "Standing",
    "VaultName",
    "broken",
    "manifest_from",
    "manifest_to",
    "read_manifest",
    "replace_manifest",
    "retiring",
]
RETIRED_FOR: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Standing:
    """Is a manifest as it stands in the store; `version` is None while there is none and the manifest empty."""

    manifest: Manifest
    version: str | None


def retiring(old: Manifest, new: Manifest, at: datetime) -> Manifest:
    """Returns `new` with the names it drops from `old` in `retired`, where none stays longer than 24 h before `at`."""
    live = {o.key for o in new.objects()}
    dropped = [Retired(o.key, at.isoformat()) for o in old.objects() if o.key not in live]
    kept = [r for r in old.retired if datetime.fromisoformat(r.at) > at - RETIRED_FOR]
    return replace(new, retired=(*kept, *dropped))


def broken(old: Manifest, new: Manifest, *, rebuilt: bool = False) -> list[str]:
    """Returns a sentence for every rule that `new`, following `old`, would break.

    Coverage may shrink only when the index is `rebuilt`, or its model or its way of cutting passages changed.
    """
    out = list(wrong_names(new))
    if new.generation != old.generation + 1:
        out.append(f"generation {new.generation} does not follow {old.generation}")
    if not (rebuilt or new.model != old.model or new.passages_version != old.passages_version):
        out += _shrunk(old.coverage, new.coverage)
        known = {name.conversation for name in new.vault.values()} | set(new.dead)
        dropped = [path for path, name in old.vault.items() if name.conversation not in known]
        out += [f"the version of {path} that the segments hold is dropped and not dead" for path in dropped]
    live, retired = {o.key for o in new.objects()}, {r.key for r in new.retired}
    out += [f"{o.key} is dropped and not retired" for o in old.objects() if o.key not in live | retired]
    out += [f"{key} is live and retired" for key in sorted(live & retired)]
    return out


def read_manifest(store: ObjectStore, key: str) -> Standing:
    """Returns what stands under `key`, an empty manifest where nothing does; raises Damaged naming the key."""
    try:
        return _standing(key, store.get(key))
    except KeyMissing:
        return Standing(Manifest(), None)


def replace_manifest(
    store: ObjectStore, key: str, based_on: Standing, new: Manifest, writer: str, *, rebuilt: bool = False
) -> Standing:
    """Returns what stands after `new` was written over `based_on`, as the generation that follows it, by `writer`.

    Raises Damaged when a rule of `broken` would be, VersionMismatch when somebody else was faster, OutcomeUnknown.
    """
    new = replace(new, generation=based_on.manifest.generation + 1, writer=writer)
    wrong = broken(based_on.manifest, new, rebuilt=rebuilt)
    if wrong:
        raise Damaged(f"{key} is left as it was, the new one is not sound: {'; '.join(wrong)}")
    before = record.Record({"generation": based_on.manifest.generation}, based_on.version)
    return Standing(new, record.write(store, key, before, manifest_to(new), writer).version)


class ManifestCache:
    """Keeps the manifest last read; each look is one conditional GET. Threads may share it."""

    def __init__(self, store: ObjectStore, life: str) -> None:
        self._store, self._life = store, life
        self._lock = threading.Lock()
        self._last: Standing | None = None

    def standing(self) -> Standing:
        """Returns what stands now; raises Damaged naming the key."""
        key = keys.manifest(self._life)
        with self._lock:
            last = self._last
        if last is None or last.version is None:
            found = read_manifest(self._store, key)
        else:
            try:
                blob = self._store.get_if_changed(key, last.version)
                found = last if blob is None else _standing(key, blob)
            except KeyMissing:
                found = Standing(Manifest(), None)
        with self._lock:
            self._last = found
        return found


def _standing(key: str, blob: Blob) -> Standing:
    return Standing(manifest_from(record.parse(key, blob.body), key), blob.version)


def _shrunk(old: Coverage, new: Coverage) -> Iterator[str]:
    if new.arrivals < old.arrivals:
        yield f"coverage of arrivals would go back from {old.arrivals} to {new.arrivals or 'none'}"
    for conversation, n in old.conversations.items():
        if new.conversations.get(conversation, 0) < n:
            yield f"coverage of {conversation} would shrink from {n} to {new.conversations.get(conversation, 0)}"
