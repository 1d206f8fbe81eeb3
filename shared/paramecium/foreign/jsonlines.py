"""One conversation a line of JSON: {"id", "title", "messages": [{"id", "parent", "role", "content", "at", "speaker"}]}.

Pure: bytes in, values out. `role`, `content` and `messages` must be there; all else may be missing or null.
Where a message hangs: on the one its `parent` names; without `parent` on the message before it; `"parent": null` is a
beginning of its own where other messages of the conversation name their parents. A message id that comes twice is one
message when all but its parent is the same, else the later one is a sibling of the earlier one. Where a message stands
before the one it hangs on (a file may list the newest first) the ones it hangs on are put before it, and all else stays
in the order of the file: so the last message is always the file's last one that no other hangs on. A conversation
without id gets one from its title and first message: the same again is the same conversation.
Invariant: a line becomes one Foreign whose messages form a forest, or one BadLine; no line hides another.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast, get_args

from paramecium.errors import BadInput, BadLine
from paramecium.messages import Json, Role, dump_json, load_json, whole

FORMAT: Final = "jsonlines"
LINE_BYTES_MAX: Final = 64_000_000
DEPTH_MAX: Final = 50
_BOM = b"\xef\xbb\xbf"
_CONVERSATION_KEYS = ("id", "title", "messages")
_MESSAGE_KEYS = ("id", "parent", "role", "content", "at", "speaker")


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """Is one message as the file has it; `before` is the position in `Foreign.messages` of the one it hangs on.

    `position` is its place in the line's own list; `parent` is what the file says, None where it says nothing.
    """

    id: str | None
    parent: str | None
    role: Role
    text: str
    at_raw: Any
    speaker: str
    position: int
    before: int | None = None
    extra: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Is one conversation of the file, with the number of its line, from 1."""

    line: int
    id: str
    title: str
    messages: tuple[ForeignMessage, ...]
    extra: Json = field(default_factory=dict)


def read_jsonlines(lines: Iterable[bytes]) -> Iterator[Foreign | BadLine]:
    """Yields what each line holds, or why it holds nothing; empty lines are passed over.

    A line may still have its CR and LF at the end. One over 64 MB is refused, so whoever cuts the file need not keep
    more of a line than shows that.
    """
    for number, line in enumerate(lines, 1):
        body = line.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            body = body.removeprefix(_BOM)
        if not body.strip(b" \t"):
            continue
        try:
            yield _conversation(number, body)
        except BadInput as error:
            yield BadLine(number, str(error))


def _conversation(number: int, body: bytes) -> Foreign:
    if len(body) > LINE_BYTES_MAX:
        raise BadInput(f"longer than {LINE_BYTES_MAX} bytes")
    raw = load_json(body)
    if not isinstance(raw, dict):
        raise BadInput("not a JSON object")
    items = raw.get("messages")
    if not isinstance(items, list):
        raise BadInput("messages is no list")
    messages = _hung(_once([_message(i, item) for i, item in enumerate(items)]), items)
    _check_acyclic(messages)
    messages = _parents_first(messages)
    title = _text(raw, "title", "the conversation")
    given = _name(raw, "id", "the conversation")
    return Foreign(number, given or _derived_id(title, messages), title, messages, _extra(raw, _CONVERSATION_KEYS))


def _message(position: int, raw: Any) -> ForeignMessage:
    where = f"message {position + 1}"
    if not isinstance(raw, dict):
        raise BadInput(f"{where} is no JSON object")
    name = _name(raw, "id", where)
    where = where if name is None else f"{where} ({name!r:.60})"
    if raw.get("role") not in get_args(Role):
        raise BadInput(f"{where} has the role {raw.get('role')!r:.60}, not one of {', '.join(get_args(Role))}")
    if not isinstance(raw.get("content"), str):
        raise BadInput(f"{where} has a content that is no string")
    return ForeignMessage(
        id=name,
        parent=_name(raw, "parent", where),
        role=cast("Role", raw["role"]),
        text=whole(raw["content"]),
        at_raw=_plain(raw.get("at")),
        speaker=_text(raw, "speaker", where),
        position=position,
        extra=_extra(raw, _MESSAGE_KEYS),
    )


def _once(messages: list[ForeignMessage]) -> list[ForeignMessage]:
    """Returns the messages without those that came before with the same id, role, speaker, date and text."""
    seen: set[bytes] = set()
    kept = []
    for message in messages:
        if message.id is not None:
            key = dump_json([message.id, message.role, message.speaker, message.at_raw, message.text])
            if key in seen:
                continue
            seen.add(key)
        kept.append(message)
    return kept


def _hung(messages: list[ForeignMessage], items: list[Json]) -> tuple[ForeignMessage, ...]:
    """Returns the messages, each with the position of the one it hangs on."""
    last_of = {m.id: i for i, m in reversed(list(enumerate(messages))) if m.id is not None}
    tree = any(m.parent is not None for m in messages)
    passed: set[str] = set()
    hung: list[ForeignMessage] = []
    for i, message in enumerate(messages):
        if message.parent is not None:
            if message.parent not in last_of:
                raise BadInput(f"message {message.position + 1} has an unknown parent {message.parent!r:.60}")
            before: int | None = last_of[message.parent]
        elif message.id in passed and message.id is not None:
            before = hung[last_of[message.id]].before
        elif i == 0 or (tree and "parent" in items[message.position]):
            before = None
        else:
            before = i - 1
        hung.append(replace(message, before=before))
        if message.id is not None:
            # Of several messages with one id, a child means the nearest before it, else the first behind it.
            passed.add(message.id)
            last_of[message.id] = i
    return tuple(hung)


def _check_acyclic(messages: tuple[ForeignMessage, ...]) -> None:
    rooted: set[int] = set()
    for start, message in enumerate(messages):
        walk: dict[int, None] = {}
        at: int | None = start
        while at is not None and at not in rooted:
            if at in walk:
                raise BadInput(f"message {message.position + 1} is its own ancestor: the parents run in a circle")
            walk[at] = None
            at = messages[at].before
        rooted.update(walk)


def _parents_first(messages: tuple[ForeignMessage, ...]) -> tuple[ForeignMessage, ...]:
    """Returns the messages in the order of the file, but each behind the ones it hangs on; `before` moves along."""
    place_of: dict[int, int] = {}
    for start in range(len(messages)):
        chain: list[int] = []
        at: int | None = start
        while at is not None and at not in place_of:
            chain.append(at)
            at = messages[at].before
        for i in reversed(chain):
            place_of[i] = len(place_of)
    ordered = [messages[i] for i in place_of]
    return tuple(m if m.before is None else replace(m, before=place_of[m.before]) for m in ordered)


def _derived_id(title: str, messages: tuple[ForeignMessage, ...]) -> str:
    first = [(m.id, m.role, m.text, m.at_raw, m.speaker) for m in messages[:1]]
    return "sha256:" + hashlib.sha256(dump_json([title, first])).hexdigest()


def _name(raw: Json, key: str, where: str) -> str | None:
    """Returns an id; a whole number is taken as its digits, an empty one as none."""
    value = raw.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{where} has a {key} that is no string")
    return value or None


def _text(raw: Json, key: str, where: str) -> str:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{where} has a {key} that is no string")
    return whole(value or "")


def _extra(raw: Json, known: tuple[str, ...]) -> Json:
    return {key: _plain(value) for key, value in raw.items() if key not in known}


def _plain(value: Any, depth: int = 0) -> Any:
    """Returns a value that can be written as JSON again: its numbers finite, nested 50 deep at most.

    Unlike what a service sends, a whole number of a file may be of any size: it is kept as it came.
    """
    if depth > DEPTH_MAX:
        raise BadInput(f"nested deeper than {DEPTH_MAX}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput("a number that is not finite")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _plain(item, depth + 1)
    return value
