"""The manifest: the one pointer to what the index is made of, and how far it has read.

Knows names, hashes and coverage, and when one manifest may follow another; knows nothing of what the named objects
hold. Values, JSON and invariants are pure; reading and replacing are the only lines that touch a store.
Invariant: no manifest is written that breaks a rule of `broken`, nor over one its writer has not read.
"""

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from paramecium.errors import Damaged, KeyMissing
from paramecium.messages import Json
from paramecium.store import keys, record
from paramecium.store.base import Blob, ObjectStore

VERSION: Final = 1
RETIRED_FOR: Final = timedelta(hours=24)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class ObjectName:
    """Names an object: its full key, the sha256 of its bytes, and how many they are."""

    key: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class SegmentName:
    """Names a live segment: its two objects and how many passages and messages they hold."""

    ulid: str
    vectors: ObjectName
    words: ObjectName
    passages: int
    messages: int


@dataclass(frozen=True, slots=True)
class Fulltext:
    """Names the full text file, how many messages it holds, and the ulids of the segments it was built from."""

    file: ObjectName
    messages: int
    segments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Says how far the index has read: per conversation the next number, and the key of the last arrival handled."""

    conversations: Mapping[str, int] = field(default_factory=dict)
    arrivals: str = ""


@dataclass(frozen=True, slots=True)
class Retired:
    """Is the key of an object no longer named, and the moment (ISO 8601, UTC) it was dropped."""

    key: str
    at: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Is the whole manifest; `segments` oldest first, `model` the id of the embedding model, "" before the first."""

    generation: int = 0
    writer: str = ""
    model: str = ""
    passages_version: int = 0
    segments: tuple[SegmentName, ...] = ()
    fulltext: Fulltext | None = None
    coverage: Coverage = field(default_factory=Coverage)
    retired: tuple[Retired, ...] = ()

    def objects(self) -> Iterator[ObjectName]:
        """Yields every object that is live."""
        for segment in self.segments:
            yield from (segment.vectors, segment.words)
        if self.fulltext:
            yield self.fulltext.file


@dataclass(frozen=True, slots=True)
class Standing:
    """Is a manifest as it stands in the store; `version` is None while there is none and the manifest empty."""

    manifest: Manifest
    version: str | None


def manifest_to(manifest: Manifest) -> Json:
    """Returns the JSON form of a manifest."""
    return {"v": VERSION, **asdict(manifest)}


def manifest_from(raw: Json, key: str) -> Manifest:
    """Returns the manifest a JSON form stands for; raises Damaged naming `key` when it is none."""
    try:
        if raw["v"] != VERSION:
            raise Damaged(f"{key}: a manifest of version {raw['v']!r:.20}, not {VERSION}")
        manifest = _manifest_from(raw)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Damaged(f"{key}: not a manifest: {type(error).__name__} {error}") from error
    wrong = [*_wrong_names(manifest)]
    if wrong:
        raise Damaged(f"{key}: {'; '.join(wrong)}")
    return manifest


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
    out = list(_wrong_names(new))
    if new.generation != old.generation + 1:
        out.append(f"generation {new.generation} does not follow {old.generation}")
    if not (rebuilt or new.model != old.model or new.passages_version != old.passages_version):
        out += _shrunk(old.coverage, new.coverage)
    live, retired = {o.key for o in new.objects()}, {r.key for r in new.retired}
    out += [f"{o.key} is dropped and not retired" for o in old.objects() if o.key not in live | retired]
    out += [f"{key} is live and retired" for key in sorted(live & retired)]
    return out


def read_manifest(store: ObjectStore, life: str) -> Standing:
    """Returns what stands, an empty manifest where nothing does; raises Damaged naming the key."""
    key = keys.manifest(life)
    try:
        return _standing(key, store.get(key))
    except KeyMissing:
        return Standing(Manifest(), None)


def replace_manifest(
    store: ObjectStore, life: str, based_on: Standing, new: Manifest, writer: str, *, rebuilt: bool = False
) -> Standing:
    """Returns what stands after `new` was written over `based_on`, as the generation that follows it, by `writer`.

    Raises Damaged when a rule of `broken` would be, VersionMismatch when somebody else was faster, OutcomeUnknown.
    """
    key = keys.manifest(life)
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
            found = read_manifest(self._store, self._life)
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


def _manifest_from(raw: Json) -> Manifest:
    coverage, fulltext = raw["coverage"], raw["fulltext"]
    return Manifest(
        generation=_count(raw["generation"]),
        writer=str(raw["writer"]),
        model=str(raw["model"]),
        passages_version=_count(raw["passages_version"]),
        segments=tuple(_segment_from(s) for s in raw["segments"]),
        fulltext=fulltext and Fulltext(_name_from(fulltext["file"]), _count(fulltext["messages"]), _ulids(fulltext)),
        coverage=Coverage({str(c): _count(n) for c, n in coverage["conversations"].items()}, str(coverage["arrivals"])),
        retired=tuple(Retired(str(r["key"]), datetime.fromisoformat(r["at"]).isoformat()) for r in raw["retired"]),
    )


def _segment_from(raw: Json) -> SegmentName:
    parts = _name_from(raw["vectors"]), _name_from(raw["words"])
    return SegmentName(str(raw["ulid"]), *parts, _count(raw["passages"]), _count(raw["messages"]))


def _name_from(raw: Json) -> ObjectName:
    return ObjectName(str(raw["key"]), str(raw["sha256"]), _count(raw["bytes"]))


def _ulids(fulltext: Json) -> tuple[str, ...]:
    return tuple(str(u) for u in fulltext["segments"])


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"not a count: {value!r:.40}")
    return value


def _wrong_names(manifest: Manifest) -> Iterator[str]:
    for name in manifest.objects():
        if not _SHA256.match(name.sha256) or name.bytes < 1:
            yield f"{name.key!r} has no sha256 or no bytes"
    ulids = [s.ulid for s in manifest.segments]
    yield from (f"segment {u} is named twice" for u in sorted({u for u in ulids if ulids.count(u) > 1}))
    for segment in manifest.segments:
        if {keys.object_ulid(o.key) for o in (segment.vectors, segment.words)} != {segment.ulid}:
            yield f"segment {segment.ulid} names objects of another"
        if segment.passages < 0 or segment.messages < 0 or (segment.passages and not segment.messages):
            yield f"segment {segment.ulid} has passages of no message"


def _shrunk(old: Coverage, new: Coverage) -> Iterator[str]:
    if new.arrivals < old.arrivals:
        yield f"coverage of arrivals would go back from {old.arrivals} to {new.arrivals or 'none'}"
    for conversation, n in old.conversations.items():
        if new.conversations.get(conversation, 0) < n:
            yield f"coverage of {conversation} would shrink from {n} to {new.conversations.get(conversation, 0)}"
