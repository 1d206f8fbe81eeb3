"""Takes notes that were written by hand for a file of conversations into the ledger, each only where its quote stands.

A line is {"conversation", "message", "date", "content", "quote", "supersedes"?}: the conversation's original id, the
message's position in it from 0, and the number of an earlier line whose note no longer holds. Knows no model.
Invariant: a note stands on words of the archive, and a second run, also after a kill, adds only what is missing; what
a person has forgotten or revived since stays so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id
from paramecium.errors import BadLine
from paramecium.memories.events import Added, Event, Note, Superseded, What
from paramecium.memories.ledger import Ledger
from paramecium.memories.quotes import find_quote, note_on
from paramecium.memories.spoken import Spoken, spoken_from
from paramecium.memories.state import State, fold
from paramecium.messages import Json, load_json

BY: Final = "demo"


@dataclass(frozen=True, slots=True)
class NotesReport:
    """Counts what the lines became: `added` are new, `already` stood, `unquoted` stand on no words of the archive."""

    added: int = 0
    already: int = 0
    unquoted: int = 0


def add_notes(
    path: Path, archive: Archive, ledger: Ledger, *, timezone: str, now: clock.Now = clock.now
) -> NotesReport:
    """Adds the notes of a file to the ledger; raises BadLine naming a line that is none."""
    lines = read_notes(path)
    notes = quoted(lines, archive)
    events = ledger.read()
    state = fold(State(), events)
    wanted = _wanted(lines, notes)
    stood = {_same(event.what) for event in events}
    missing = [what for what in wanted if _same(what) not in stood and not _is_forgotten(what, state)]
    at = clock.local_iso(now(), timezone)
    ledger.append([Event(clock.new_id(), at, BY, what) for what in missing])
    added = sum(isinstance(what, Added) for what in missing)
    found = sum(note is not None for note in notes)
    return NotesReport(added, found - added, len(notes) - found)


def read_notes(path: Path) -> list[Json]:
    """Returns the lines of a file of notes; raises BadLine naming the first that is none."""
    lines: list[Json] = []
    for number, body in enumerate(path.read_bytes().split(b"\n"), 1):
        if body.strip(b" \t\r"):
            lines.append(_checked(number, load_json(body), len(lines)))
    return lines


def quoted(lines: Sequence[Json], archive: Archive) -> list[Note | None]:
    """Returns the note of each line, None where its message or its quote is not in the archive."""
    spoken: dict[str, dict[int, Spoken]] = {}
    for original in dict.fromkeys(line["conversation"] for line in lines):
        spoken[original] = _spoken(archive, conversation_id(original))
    return [_note(line, spoken[line["conversation"]].get(line["message"])) for line in lines]


def _spoken(archive: Archive, conversation: str) -> dict[int, Spoken]:
    entries = [entry for block in archive.blocks(conversation) for entry in block]
    said = ((entry.source.get("position"), spoken_from(conversation, entry)) for entry in entries)
    return {position: found for position, found in said if found is not None and position is not None}


def _note(line: Json, said: Spoken | None) -> Note | None:
    found = find_quote(line["quote"], said.text) if said is not None else None
    if said is None or found is None:
        return None
    return note_on(said, *found, line["content"], line["date"])


def _wanted(lines: Sequence[Json], notes: Sequence[Note | None]) -> list[What]:
    out: list[What] = []
    for line, note in zip(lines, notes, strict=True):
        if note is None:
            continue
        out.append(Added(note))
        earlier = notes[line["supersedes"]] if "supersedes" in line else None
        if earlier is not None:
            out.append(Superseded(earlier.id, note.id, "updates", 1.0))
    return out


def _same(what: What) -> tuple[str, ...]:
    """Returns what makes two events one to us: the note that was taken, or which memory told otherwise of which."""
    match what:
        case Added(note):
            return ("added", note.id)
        case Superseded(memory, by):
            return ("superseded", memory, by)
        case _:
            return ()


def _is_forgotten(what: What, state: State) -> bool:
    match what:
        case Added(note):
            return note.id in state.forgotten
        case Superseded(memory, by):
            return memory in state.forgotten or by in state.forgotten
        case _:
            return False


def _checked(number: int, raw: Any, before: int) -> Json:
    kinds = {"conversation": str, "message": int, "date": str, "content": str, "quote": str}
    wrong = not isinstance(raw, dict) or any(type(raw.get(name)) is not kind for name, kind in kinds.items())
    if wrong:
        raise BadLine(number, f"not a note; one has {', '.join(kinds)}")
    earlier = raw.get("supersedes", 0)
    if "supersedes" in raw and not (isinstance(earlier, int) and 0 <= earlier < before):
        raise BadLine(number, "supersedes names no earlier note")
    line: Json = raw
    return line
