"""What can happen to a memory, as frozen values, and the JSON of an event (version 1).

Knows the form of an event; knows nothing of stores or of what events add up to (see `state`). Pure.
Invariant: `event_from(event_to(e)) == e`; what a later version writes is read as `Later`, kept whole,
and moves nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple, TypeAlias

from paramecium.errors import BadId, Damaged
from paramecium.messages import Json, check_id

VERSION: Final = 1


class Note(NamedTuple):
    """Is what a memory says, and the words it stands on.

    `quote` is characters `start` to `end` of message `message` (number `n`) of a conversation, verbatim; `speaker`,
    `role` and `said_at` (ISO 8601 with offset, or empty) are that message's. `date` is YYYY-MM-DD of what the note
    tells of, empty when unknown.
    """

    id: str
    content: str
    quote: str
    conversation: str
    message: str
    n: int
    start: int
    end: int
    date: str = ""
    said_at: str = ""
    speaker: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """A note was taken."""

    note: Note


@dataclass(frozen=True, slots=True)
class Superseded:
    """A later memory, `by`, tells otherwise; `relation` is contradicts, updates, or hand."""

    memory: str = ""
    by: str = ""
    relation: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Revived:
    """A superseded memory holds again: `by` is the memory that said it again, empty when it was done by hand."""

    memory: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A memory is never superseded by a machine."""

    memory: str = ""


@dataclass(frozen=True, slots=True)
class Unpinned:
    """A memory is no longer pinned."""

    memory: str = ""


@dataclass(frozen=True, slots=True)
class Retired:
    """A memory is neither offered nor found any more."""

    memory: str = ""


@dataclass(frozen=True, slots=True)
class Unretired:
    """A retired or corrected memory is offered and found again."""

    memory: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A memory was wrong: it is retired, and the document `fact` (its key below the life) says what is right."""

    memory: str = ""
    fact: str = ""


@dataclass(frozen=True, slots=True)
class ValidityChanged:
    """A memory holds from one day to another (YYYY-MM-DD, both belong to it; empty means open)."""

    memory: str = ""
    valid_from: str = ""
    valid_until: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A model opened something, in one call of its tool: the only thing that counts as remembering.

    `memories` are ids, best first; `windows` are {"conversation", "message", "n", "start", "end"}. `turn` is the turn's
    id and `message` the id of the person's message it answers. `context` is {"model", "vector"}: the vector of what was
    being talked about, int8 in base64, made by that embedding model; None when there was none.
    """

    memories: tuple[str, ...] = ()
    windows: tuple[Json, ...] = ()
    query: str = ""
    conversation: str = ""
    turn: str = ""
    message: str = ""
    context: Json | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory is gone for good, with every word of it."""

    memory: str = ""


@dataclass(frozen=True, slots=True)
class Later:
    """Is an event of a kind that a later version knows; `rest` keeps all of it that is not every event's."""

    kind: str
    rest: Json


What: TypeAlias = (
    Added
    | Superseded
    | Revived
    | Pinned
    | Unpinned
    | Retired
    | Unretired
    | Corrected
    | ValidityChanged
    | Recalled
    | Forgotten
    | Later
)
_KINDS: Final = {
    kind.__name__: kind
    for kind in (
        Superseded, Revived, Pinned, Unpinned, Retired, Unretired, Corrected, ValidityChanged, Recalled, Forgotten
    )
}  # fmt: skip
_OWN: Final = ("v", "id", "at", "by", "why", "kind")
_ITEMS: Final = {"memories": str, "windows": dict}


@dataclass(frozen=True, slots=True)
class Event:
    """Is one event: what happened, when (ISO 8601 with offset), by whom (`extract`, `person`, a model's name), and why.

    `id` is a ULID: a writer knows its own event by it, and an event that stands under two numbers counts once.
    """

    id: str
    at: str
    by: str
    what: What
    why: str = ""


def event_to(event: Event) -> Json:
    """Returns the JSON form of an event; what a kind knows stands under `what`, where no name meets the event's own."""
    out: Json = {"v": VERSION, "id": event.id, "at": event.at, "by": event.by, "why": event.why}
    match event.what:
        case Later(kind, rest):
            return out | {"kind": kind} | rest
        case Added(note):
            return out | {"kind": "Added", "what": note._asdict()}
        case what:
            known = {f.name: getattr(what, f.name) for f in fields(what)}
            plain = {name: list(v) if isinstance(v, tuple) else v for name, v in known.items()}
            return out | {"kind": type(what).__name__, "what": plain}


def event_from(raw: Mapping[str, Any]) -> Event:
    """Returns the event a JSON form stands for; raises Damaged when it is none."""
    try:
        event = Event(check_id(raw["id"]), _string(raw, "at"), _string(raw, "by"), _what(raw), _string(raw, "why"))
    except (KeyError, TypeError, ValueError, OverflowError, BadId) as error:
        raise Damaged(f"not an event: {type(error).__name__} {error}") from error
    if raw.get("v") != VERSION:
        raise Damaged(f"event {event.id} is not of version {VERSION}")
    return event


def _what(raw: Mapping[str, Any]) -> What:
    kind = _string(raw, "kind")
    if kind != "Added" and kind not in _KINDS:
        return Later(kind, {name: value for name, value in raw.items() if name not in _OWN})
    what = raw["what"]
    if not isinstance(what, dict):
        raise TypeError("what is no object")
    if kind == "Added":
        return Added(_note(what))
    blank = _KINDS[kind]()
    given = {f.name: _fitting(what[f.name], getattr(blank, f.name), f.name) for f in fields(blank)}
    return replace(blank, **given)


def _note(raw: Mapping[str, Any]) -> Note:
    # The first eight always stand; what has a default may be missing, as in a form written before it was known.
    blank = Note("", "", "", "", "", 0, 0, 0)
    given = {name: _fitting(raw[name], value, name) for name, value in blank._asdict().items() if name in raw}
    note = Note(**given)
    check_id(note.id)
    return note


def _fitting(value: Any, blank: Any, name: str) -> Any:
    """Returns the value if it is of the kind of `blank`; raises TypeError naming the field."""
    match blank:
        case tuple():
            if isinstance(value, list) and all(isinstance(item, _ITEMS[name]) for item in value):
                return tuple(value)
        case None:
            if value is None or isinstance(value, dict):
                return value
        case float():
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                return float(value)
        case _:
            if type(value) is type(blank):
                return value
    raise TypeError(f"{name} is of a wrong kind")


def _string(raw: Mapping[str, Any], name: str) -> str:
    value: str = _fitting(raw[name], "", name)
    return value
