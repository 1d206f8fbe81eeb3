"""What was said, as values: an entry of a conversation, and its JSON (version 1).

Knows the form of an entry and how text becomes bytes; knows nothing of stores or of what is done with entries.
Invariant: `entry_from(entry_to(e)) == e`, and fields of a later version pass through `more` unchanged.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, get_args

from paramecium.errors import BadId, BadInput, Damaged

Kind = Literal["message", "rename", "star", "project", "choose", "tombstone"]
Role = Literal["user", "assistant", "system"]
Status = Literal["complete", "stopped", "incomplete", "error"]
Json = dict[str, Any]

VERSION: Final = 1
DEPTH_MAX: Final = 50
SPOKEN: Final = ("user", "assistant")
_KINDS = get_args(Kind)
_ROLES = get_args(Role)
_ID = re.compile(r"[a-z0-9-]{1,64}\Z")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """Is one entry of a conversation's log; `n` is its number, from 0, and `parent` the id of the entry before it.

    `at` is ISO 8601 with offset, or empty when unknown. `text` is what was said, verbatim; for the kinds rename,
    star, project and choose it is the new title, "true" or "false", the project, or the id of the chosen leaf.
    """

    id: str
    n: int
    kind: Kind = "message"
    parent: str | None = None
    role: Role | None = None
    speaker: str = ""
    at: str = ""
    text: str = ""
    images: tuple[Json, ...] = ()
    files: tuple[Json, ...] = ()
    head: str | None = None
    given: Json | None = None
    rounds: tuple[Json, ...] = ()
    usage: tuple[Json, ...] = ()
    afterglow: tuple[int, ...] = ()
    model: str = ""
    account: str = ""
    status: Status | None = None
    source: Json = field(default_factory=dict)
    more: Json = field(default_factory=dict)

    @property
    def is_message(self) -> bool:
        """Tells whether this is something said by the person or the AI."""
        return self.kind == "message" and self.role in SPOKEN


@dataclass(frozen=True, slots=True)
class Conversation:
    """Is the log of entries of one talk, as far as it was read: entries in order of `n`, without gaps."""

    id: str
    entries: tuple[Entry, ...]


_FIELDS = tuple(f.name for f in fields(Entry) if f.name != "more")
_TUPLES = ("images", "files", "rounds", "usage", "afterglow")
_ALWAYS = ("id", "n", "kind", "parent", "role", "speaker", "at", "text")
_BLANK = Entry("", 0)
_STRINGS = ("id", "speaker", "at", "text", "model", "account")
_OBJECTS = ("source", "given")


def entry_to(entry: Entry) -> Json:
    """Returns the JSON form of an entry; empty optional fields are left out."""
    out: Json = {"v": VERSION}
    for name in _FIELDS:
        value = getattr(entry, name)
        if name in _ALWAYS or value != getattr(_BLANK, name):
            out[name] = list(value) if name in _TUPLES else value
    return out | entry.more


def entry_from(raw: Mapping[str, Any]) -> Entry:
    """Returns the entry a JSON form stands for; raises Damaged when it is none."""
    try:
        known = {k: raw[k] for k in _FIELDS if k in raw}
        for name in _TUPLES:
            known[name] = tuple(known.get(name, ()))
        more = {k: v for k, v in raw.items() if k not in _FIELDS and k != "v"}
        entry = Entry(**known, more=more)
    except (KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"an entry lacks a field or has a wrong one: {error}") from error
    if raw.get("v") != VERSION:
        raise Damaged(f"entry {entry.id} is not of version {VERSION}")
    if entry.kind not in _KINDS or entry.role not in (*_ROLES, None):
        raise Damaged(f"entry {entry.id} has an unknown kind or role: {entry.kind} {entry.role}")
    wrong = [name for name in raw if name in _FIELDS and not _fits(name, raw[name])]
    if wrong:
        raise Damaged(f"entry {entry.id} has a wrong field: {', '.join(wrong)}")
    return entry


def dump_json(value: object) -> bytes:
    """Returns JSON as UTF-8, unescaped; a lone surrogate becomes its JSON escape, so every text survives."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def load_json(body: bytes) -> Any:
    """Returns the value of JSON bytes; raises BadInput when they are none or not UTF-8."""
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"this is not JSON: {error}") from error


def plain(value: Any, depth: int = 0) -> Any:
    """Returns a value that can be written as JSON and read again anywhere; raises BadInput.

    Its numbers are finite, its integers fit into 64 bits, and it is nested 50 deep at most.
    """
    if depth > DEPTH_MAX:
        raise BadInput(f"nested deeper than {DEPTH_MAX}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput("a number that is not finite")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise BadInput("a whole number of more than 64 bits")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            plain(item, depth + 1)
    return value


def check_id(value: str) -> str:
    """Returns `value` if it is an id of ours, `[a-z0-9-]{1,64}`; raises BadId otherwise."""
    if not isinstance(value, str) or not _ID.match(value):
        raise BadId(f"not an id: {value!r:.80}")
    return value


def whole(text: str) -> str:
    """Returns the text with each high surrogate and the low one after it joined to the character they are.

    Two halves that arrived apart are one character; a half without the other stays as it is.
    """
    return _PAIR.sub(lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def encodable(text: str) -> str:
    """Returns a copy for SQLite, tokenizer and upstream: each lone surrogate and each NUL becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def chain(parent_of: Mapping[str, str | None], leaf: str | None) -> tuple[str, ...]:
    """Returns the ids from the beginning to `leaf` along the parents; a parent that is not known ends the chain."""
    ids: list[str] = []
    seen: set[str] = set()
    while leaf is not None and leaf in parent_of and leaf not in seen:
        seen.add(leaf)
        ids.append(leaf)
        leaf = parent_of[leaf]
    return tuple(reversed(ids))


def hung_behind(draft: Entry, met: Sequence[Entry]) -> Entry:
    """Returns the draft behind the newest message of `met` (ascending) that its parent leads to, else as it is.

    What the same turn stored in the same role is another version of the draft: it stays the draft's sibling.
    """
    turn = draft.source.get("turn")
    reached, newest = {draft.parent}, draft.parent
    for entry in met:
        if entry.kind in ("message", "tombstone") and entry.parent in reached:
            reached.add(entry.id)
            is_version = turn is not None and (entry.role, entry.source.get("turn")) == (draft.role, turn)
            newest = newest if is_version or entry.kind == "tombstone" else entry.id
    return replace(draft, parent=newest)


def path(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Returns the messages from the beginning to the leaf: the newest message, or the one chosen after it."""
    messages = {e.id: e for e in entries if e.kind == "message"}
    # A tombstone keeps the parent of the entry it stands for, so what was said before it stays on the path.
    parent_of = {e.id: e.parent for e in entries if e.kind in ("message", "tombstone")}
    leaf = None
    for entry in entries:
        if entry.kind == "message":
            leaf = entry.id
        elif entry.kind == "choose" and entry.text in messages:
            leaf = entry.text
    return tuple(messages[i] for i in chain(parent_of, leaf) if i in messages)


def _fits(name: str, value: Any) -> bool:
    """Tells whether a JSON value may stand in a field of an entry; kind and role are looked at by themselves."""
    if name in _TUPLES:
        return isinstance(value, list | tuple)
    if name in _STRINGS:
        return isinstance(value, str)
    if name in _OBJECTS:
        return isinstance(value, dict) or (name == "given" and value is None)
    if name == "n":
        return isinstance(value, int) and not isinstance(value, bool)
    return value is None or isinstance(value, str)
