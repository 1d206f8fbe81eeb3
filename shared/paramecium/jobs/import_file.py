"""Brings the conversations of a foreign file into the archive: what stands is found by its id, what is new is added.

Knows how a foreign message becomes an entry and where it hangs; knows no store, and changes nothing that stands.
An entry's id is a hash of the conversation, the original message id (or position), role, speaker, date and words: so a
file may come twice, longer, or changed. A changed message is a new entry beside the old one; what stands stays where
it hangs. Dates keep their form; one without offset gets that of the configured timezone, one that cannot be read is
empty, and `source` keeps the original of both.
Invariant: after any number of runs, complete or killed, every message of the file stands once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id, entry_id
from paramecium.errors import BadInput, BadLine, ConversationMissing, Damaged, DifferentBeginning
from paramecium.foreign.jsonlines import FORMAT, LINE_BYTES_MAX, Foreign, ForeignMessage, read_jsonlines
from paramecium.messages import Entry, Json, path
from paramecium.settings import Settings

CLIENT: Final = "import"
STRANGE_LINES_MAX: Final = 1000
_MILLISECONDS_FROM = 1e11
_END_BYTES = len(b"\r\n")
_SKIP_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Counts what a file held: `messages` = `added` + `already` + those of refused conversations.

    `waiting` counts the messages of the file's conversations that the index does not cover yet. Of the added ones,
    `undated` counts those whose date could not be read, and `beside` those that were edited: an older version of theirs
    stands, too, and each is on a branch of its own.
    """

    conversations: int = 0
    messages: int = 0
    added: int = 0
    already: int = 0
    refused: tuple[BadLine, ...] = ()
    waiting: int = 0
    undated: int = 0
    beside: int = 0


def import_file(
    path: Path,
    archive: Archive,
    settings: Settings,
    *,
    covered: Callable[[str], int] = lambda _: 0,
    progress: Callable[[int, int], None] = lambda _read, _total: None,
    met: Callable[[str], None] = lambda _: None,
) -> ImportReport:
    """Reads a JSON lines file line by line into the archive and returns what became of it.

    `covered` gives the number up to which the index covers a conversation: where that is not all of it and nothing
    was added, its arrival is written again. `progress` gets the bytes read so far and in all, `met` the id of each
    conversation that came in. A line that cannot be read, begins differently from what stands, or meets a damaged
    conversation is refused. Raises BadInput when the file cannot be read or its first 1,000 lines are none.
    """
    tally, refused = Counter[str](), list[BadLine]()
    for foreign in read_jsonlines(_lines(path, progress)):
        if isinstance(foreign, BadLine):
            refused.append(foreign)
            if len(refused) == STRANGE_LINES_MAX and not tally:
                raise BadInput(f"{path} is not a file of JSON lines: {refused[0]}")
            continue
        tally.update(conversations=1, messages=len(foreign.messages))
        try:
            tally.update(_import(foreign, archive, settings, covered))
            met(conversation_id(foreign.id))
        except (DifferentBeginning, Damaged) as error:
            refused.append(BadLine(foreign.line, str(error)))
    return ImportReport(refused=tuple(refused), **tally)


def entries_of(foreign: Foreign, settings: Settings) -> tuple[Entry, ...]:
    """Returns the messages of a foreign conversation as entries that hang where the file says; all have number 0."""
    conv = conversation_id(foreign.id)
    ids = [
        entry_id(conv, m.id, None if m.id is not None else f"#{m.position}", m.role, m.speaker, m.at_raw, m.text)
        for m in foreign.messages
    ]
    named = {"user": settings.person, "assistant": settings.ai, "system": ""}
    return tuple(
        Entry(
            id=ids[i],
            n=0,
            parent=None if m.before is None else ids[m.before],
            role=m.role,
            speaker=m.speaker or named[m.role],
            at=_moment(m.at_raw, settings.timezone),
            text=m.text,
            source=_source(foreign, m, settings.timezone),
        )
        for i, m in enumerate(foreign.messages)
    )


def additions(foreign: Foreign, wanted: Sequence[Entry], standing: Sequence[Entry]) -> list[Entry]:
    """Returns what an archive that holds `standing` lacks of a conversation: messages, its title, the end of its path.

    The title is taken once, so a person's own later name stays; the end is chosen unless it was the person who went on
    elsewhere. Raises DifferentBeginning.
    """
    if not wanted:
        return []
    _check_beginning(foreign, wanted[0], standing)
    known = {entry.id for entry in standing}
    drafts = list({entry.id: entry for entry in wanted if entry.id not in known}.values())
    drafts += _title(foreign, standing)
    drafts += _end(foreign, wanted[-1].id, [*standing, *drafts])
    return [draft for draft in drafts if draft.id not in known]


def _import(foreign: Foreign, archive: Archive, settings: Settings, covered: Callable[[str], int]) -> dict[str, int]:
    """Brings one conversation in and returns its part of the report, by the names of its fields."""
    conv = conversation_id(foreign.id)
    try:
        standing = archive.read(conv)
    except ConversationMissing:
        standing = ()
    wanted = entries_of(foreign, settings)
    drafts = additions(foreign, wanted, standing)
    stored = archive.append(conv, drafts, len(standing))
    upto = covered(conv)
    if standing and not drafts and upto < len(standing):
        archive.announce(conv, upto)
    added = [draft for draft in drafts if draft.kind == "message"]
    return {
        "added": len(added),
        "already": len(wanted) - len(added),
        "waiting": sum(entry.is_message and entry.n >= upto for entry in (*standing, *stored)),
        "undated": sum(not draft.at and draft.source.get("at") not in (None, "") for draft in added),
        "beside": _beside(added, standing),
    }


def _beside(added: Sequence[Entry], standing: Sequence[Entry]) -> int:
    """Counts the added messages of which another version came before: under its original id, or at its position."""
    known = {_original(entry) for entry in standing if entry.kind == "message"}
    count = 0
    for entry in added:
        count += _original(entry) in known
        known.add(_original(entry))
    return count


def _original(entry: Entry) -> tuple[str, Any]:
    if "id" in entry.source:
        return "id", entry.source["id"]
    return ("position", entry.source["position"]) if "position" in entry.source else ("own", entry.id)


def _check_beginning(foreign: Foreign, first: Entry, standing: Sequence[Entry]) -> None:
    """A forgotten beginning has nothing left to compare; with ids on both sides they decide, else the words do."""
    stood = next((entry for entry in standing if entry.kind in ("message", "tombstone")), None)
    if stood is None or stood.kind == "tombstone":
        return
    both = (stood.source.get("id"), first.source.get("id"))
    if (both[0] == both[1]) if None not in both else (stood.role, stood.text) == (first.role, first.text):
        return
    raise DifferentBeginning(
        f"conversation {foreign.id!r:.80} stands in the archive with another first message; "
        "to keep both, give the one in the file another id"
    )


def _title(foreign: Foreign, standing: Sequence[Entry]) -> list[Entry]:
    renames = [entry for entry in standing if entry.kind == "rename"]
    imported = [entry for entry in renames if entry.source.get("client") == CLIENT]
    if foreign.title in ("", *(entry.text for entry in (*renames[-1:], *imported[-1:]))):
        return []
    before = imported[-1].id if imported else None
    name = entry_id(conversation_id(foreign.id), "rename", foreign.title, before)
    return [Entry(name, 0, "rename", text=foreign.title, source=_origin(foreign))]


def _end(foreign: Foreign, leaf: str, entries: Sequence[Entry]) -> list[Entry]:
    """What decides the path is the newest message or choice; where that was not an import, it is left alone."""
    messages = {entry.id for entry in entries if entry.kind == "message"}
    steering = [e for e in entries if e.id in messages or (e.kind == "choose" and e.text in messages)]
    walked = path(entries)
    if not walked or walked[-1].id == leaf or steering[-1].source.get("client") != CLIENT:
        return []
    name = entry_id(conversation_id(foreign.id), "choose", leaf, entries[-1].id)
    return [Entry(name, 0, "choose", text=leaf, source=_origin(foreign))]


def _origin(foreign: Foreign) -> Json:
    return {"client": CLIENT, "format": FORMAT, "conversation": foreign.id}


def _source(foreign: Foreign, message: ForeignMessage, timezone: str) -> Json:
    """Keeps what the entry itself does not say; what the file adds to a conversation stands with its first message."""
    source = _origin(foreign)
    if message.id is not None:
        source["id"] = message.id
    source["position"] = message.position
    if message.at_raw != _moment(message.at_raw, timezone) and message.at_raw is not None:
        source["at"] = message.at_raw
    if message.extra:
        source["extra"] = message.extra
    if message is foreign.messages[0] and foreign.extra:
        source["conversation_extra"] = foreign.extra
    return source


def _moment(raw: Any, timezone: str) -> str:
    """Returns ISO 8601 with offset for a date of the file, or "" for what is none; whole seconds or milliseconds."""
    try:
        if isinstance(raw, str):
            moment = datetime.fromisoformat(raw)
            return raw if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(timezone)).isoformat()
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            seconds = raw / 1000 if abs(raw) >= _MILLISECONDS_FROM else raw
            return clock.local_iso(datetime.fromtimestamp(seconds, UTC), timezone)
    except (ValueError, OverflowError, OSError):
        return ""
    return ""


def _lines(file: Path, progress: Callable[[int, int], None]) -> Iterator[bytes]:
    """Yields the lines of a file, of one that is too long only as much as shows it; tells how far it has come."""
    try:
        with file.open("rb") as stream:
            total = file.stat().st_size
            while line := stream.readline(LINE_BYTES_MAX + _END_BYTES + 1):
                rest = line
                while rest and not rest.endswith(b"\n"):
                    rest = stream.readline(_SKIP_BYTES)
                yield line
                progress(stream.tell(), total)
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror or error}") from error
