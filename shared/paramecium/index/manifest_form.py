"""What a manifest says, as values, and its JSON (version 1).

Knows names, hashes and coverage; knows nothing of stores or of what stood before. Pure; everything here is imported
from `manifest`.
Invariant: `manifest_from(manifest_to(m), key) == m`, and a manifest whose names are wrong is never given out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from paramecium.errors import BadId, Damaged
from paramecium.messages import Json, check_id
from paramecium.store import keys

VERSION: Final = 1
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
class VaultName:
    """Names the version of a document that is in the index: its pseudo conversation, and the sha256 of its text."""

    conversation: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Is the whole manifest; `segments` oldest first, `model` the id of the embedding model, "" before the first.

    `vault` names the documents by path; `dead` are the pseudo conversations of earlier versions, which the segments
    still hold and nobody is to find.
    """

    generation: int = 0
    writer: str = ""
    model: str = ""
    passages_version: int = 0
    segments: tuple[SegmentName, ...] = ()
    fulltext: Fulltext | None = None
    coverage: Coverage = field(default_factory=Coverage)
    retired: tuple[Retired, ...] = ()
    vault: Mapping[str, VaultName] = field(default_factory=dict)
    dead: tuple[str, ...] = ()

    @property
    def covered(self) -> dict[str, int]:
        """Returns the next number of all that the segments hold: conversations, and documents, each one message."""
        documents = (*(name.conversation for name in self.vault.values()), *self.dead)
        return {**self.coverage.conversations, **dict.fromkeys(documents, 1)}

    def objects(self) -> Iterator[ObjectName]:
        """Yields every object that is live."""
        for segment in self.segments:
            yield from (segment.vectors, segment.words)
        if self.fulltext:
            yield self.fulltext.file


def manifest_to(manifest: Manifest) -> Json:
    """Returns the JSON form of a manifest; without documents it does not speak of them."""
    raw = {"v": VERSION, **asdict(manifest)}
    return {name: value for name, value in raw.items() if value or name not in ("vault", "dead")}


def manifest_from(raw: Json, key: str) -> Manifest:
    """Returns the manifest a JSON form stands for; raises Damaged naming `key` when it is none."""
    try:
        if raw["v"] != VERSION:
            raise Damaged(f"{key}: a manifest of version {raw['v']!r:.20}, not {VERSION}")
        manifest = _manifest_from(raw)
    except (BadId, KeyError, TypeError, AttributeError, ValueError) as error:
        raise Damaged(f"{key}: not a manifest: {type(error).__name__} {error}") from error
    wrong = [*wrong_names(manifest)]
    if wrong:
        raise Damaged(f"{key}: {'; '.join(wrong)}")
    return manifest


def wrong_names(manifest: Manifest) -> Iterator[str]:
    """Yields a sentence for everything that is wrong with a manifest's names, whatever stood before it."""
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
    named = Counter([*(name.conversation for name in manifest.vault.values()), *manifest.dead])
    twice = (c for c, count in named.items() if count > 1 or c in manifest.coverage.conversations)
    yield from (f"{conversation} is named twice" for conversation in twice)
    yield from (f"{path} has no sha256" for path, name in manifest.vault.items() if not _SHA256.match(name.sha256))


def _manifest_from(raw: Json) -> Manifest:
    coverage, fulltext = raw["coverage"], raw["fulltext"]
    return Manifest(
        generation=_count(raw["generation"]),
        writer=_string(raw["writer"]),
        model=_string(raw["model"]),
        passages_version=_count(raw["passages_version"]),
        segments=tuple(_segment_from(s) for s in raw["segments"]),
        fulltext=fulltext and Fulltext(_name_from(fulltext["file"]), _count(fulltext["messages"]), _ulids(fulltext)),
        coverage=Coverage({c: _count(n) for c, n in coverage["conversations"].items()}, _arrival(coverage["arrivals"])),
        retired=tuple(Retired(_string(r["key"]), _moment(r["at"])) for r in raw["retired"]),
        vault={_string(path): _vault_from(name) for path, name in raw.get("vault", {}).items()},
        dead=tuple(check_id(conversation) for conversation in raw.get("dead", ())),
    )


def _vault_from(raw: Json) -> VaultName:
    return VaultName(check_id(raw["conversation"]), _string(raw["sha256"]))


def _segment_from(raw: Json) -> SegmentName:
    parts = _name_from(raw["vectors"]), _name_from(raw["words"])
    return SegmentName(_string(raw["ulid"]), *parts, _count(raw["passages"]), _count(raw["messages"]))


def _name_from(raw: Json) -> ObjectName:
    return ObjectName(_string(raw["key"]), _string(raw["sha256"]), _count(raw["bytes"]))


def _ulids(fulltext: Json) -> tuple[str, ...]:
    return tuple(_string(u) for u in fulltext["segments"])


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a string: {value!r:.40}")
    return value


def _arrival(value: Any) -> str:
    if value != "":
        keys.read_arrival(_string(value))
    return _string(value)


def _moment(value: Any) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError(f"a moment without its offset: {value}")
    return _string(value)


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"not a count: {value!r:.40}")
    return value
