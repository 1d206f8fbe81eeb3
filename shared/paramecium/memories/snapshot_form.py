"""The pointer to what the ledger was last folded into, as a value, and its JSON (version 1).

Knows names, hashes and what stands off its conversation's path; knows nothing of stores. Pure.
Invariant: `pointer_from(pointer_to(p), key) == p`; a pointer of which a character is another one is never given out,
since `seal` is the sha256 of all the rest but `generation` and `writer`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from paramecium.errors import Damaged
from paramecium.index.manifest import ObjectName, Retired
from paramecium.messages import Json, dump_json

VERSION: Final = 1
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_SEALED: Final = ("v", "model", "upto", "base", "vectors", "off_path", "retired", "looked")


@dataclass(frozen=True, slots=True)
class Pointer:
    """Is the whole pointer: the base holds everything below event `upto`, `vectors` what was embedded since.

    `model` is the id of the embedding model, "" before the first; `off_path` names for each conversation the memories
    whose message is not on its path. `looked` is the moment (ISO) up to which the paths of all conversations were
    looked at, "" when they were never all looked at; it is not written while it is empty.
    """

    model: str = ""
    upto: int = 0
    base: ObjectName | None = None
    vectors: tuple[ObjectName, ...] = ()
    off_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    retired: tuple[Retired, ...] = ()
    looked: str = ""

    def objects(self) -> Iterator[ObjectName]:
        """Yields every object that is live."""
        if self.base:
            yield self.base
        yield from self.vectors


def pointer_to(pointer: Pointer) -> Json:
    """Returns the JSON form of a pointer; whoever writes it adds generation and writer."""
    raw = {"v": VERSION, **asdict(pointer)}
    raw = {name: raw[name] for name in _SEALED if name != "looked" or raw[name]}
    return raw | {"seal": _seal(raw)}


def pointer_from(raw: Json, key: str) -> Pointer:
    """Returns the pointer a JSON form stands for; raises Damaged naming `key` when it is none."""
    try:
        if raw["v"] != VERSION:
            raise Damaged(f"{key}: a snapshot of version {raw['v']!r:.20}, not {VERSION}")
        if raw["seal"] != _seal(raw):
            raise Damaged(f"{key}: its seal is not that of what it says")
        return Pointer(
            model=_string(raw["model"]),
            upto=_count(raw["upto"]),
            base=None if raw["base"] is None else _name(raw["base"]),
            vectors=tuple(map(_name, raw["vectors"])),
            off_path={_string(c): tuple(map(_string, ids)) for c, ids in raw["off_path"].items()},
            retired=tuple(Retired(_string(r["key"]), _moment(r["at"])) for r in raw["retired"]),
            looked=_moment(raw["looked"]) if "looked" in raw else "",
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Damaged(f"{key}: not a snapshot: {type(error).__name__} {error}") from error


def _seal(raw: Json) -> str:
    return hashlib.sha256(dump_json({name: raw[name] for name in _SEALED if name in raw})).hexdigest()


def _name(raw: Json) -> ObjectName:
    name = ObjectName(_string(raw["key"]), _string(raw["sha256"]), _count(raw["bytes"]))
    if not _SHA256.match(name.sha256):
        raise ValueError(f"not a sha256: {name.sha256:.80}")
    return name


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a string: {value!r:.40}")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"not a count: {value!r:.40}")
    return value


def _moment(value: Any) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError(f"a moment without its offset: {value}")
    return _string(value)
