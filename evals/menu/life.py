"""The life that is replayed: turns in order of time, notes by the day after which they are there, and probes.

Brings the conversations in with the product's own import. The sample life's notes were written by hand; of
MemoryBank's chats every message of the person of 12 characters or more becomes a note, by this plain rule: its first 60
characters, standing on its first 40. Invariant: a note stands on a quote, and none is there on the day it was said.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from evals.menu.bank import read_bank
from evals.sample import EXAMPLES, LIFE
from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id
from paramecium.jobs.sample_notes import quoted, read_notes
from paramecium.memories.events import Added, Note, Superseded, What
from paramecium.memories.quotes import find_quote, note_on
from paramecium.memories.spoken import spoken_from
from paramecium.messages import Entry, Json, dump_json, load_json, path
from paramecium.settings import Settings
from paramecium.store.ram import RamStore
from paramecium.wiring import Parts

SETTINGS: Final = Settings(person="林夏", ai="小满")
NOTED_MIN: Final = 12
CONTENT_MAX: Final = 60
QUOTE_MAX: Final = 40


class Turn(NamedTuple):
    """Is one message of the person and the reply that was really given, None where none was."""

    conversation: str
    at: datetime
    question: Entry
    answer: Entry | None


class Taken(NamedTuple):
    """Is a note and what it supersedes, and the day its words were said."""

    day: date
    whats: tuple[What, ...]


class Probe(NamedTuple):
    """Is a question and the memories that answer it."""

    text: str
    right: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lived:
    """Is a whole life; turns and notes are in order of time."""

    turns: tuple[Turn, ...]
    taken: tuple[Taken, ...]
    probes: tuple[Probe, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Returns every note."""
        return tuple(what.note for taken in self.taken for what in taken.whats if isinstance(what, Added))


def live(bank: Path | None) -> Lived:
    """Returns the sample life, with MemoryBank's persons in it when their file is given; raises BadInput for that."""
    foreign = read_bank(bank) if bank is not None else []
    archive = _archive(foreign)
    taken = [*_by_hand(archive), *(t for raw in foreign for t in _by_rule(archive, conversation_id(raw["id"])))]
    turns = sorted(_turns(archive), key=lambda turn: turn.at)
    return Lived(tuple(turns), tuple(sorted(taken, key=lambda t: t.day)), tuple(_probes(archive, taken)))


def sample_notes() -> tuple[Note, ...]:
    """Returns the notes of the sample life that hold at its end."""
    taken = _by_hand(_archive([]))
    gone = {what.memory for t in taken for what in t.whats if isinstance(what, Superseded)}
    notes = (what.note for t in taken for what in t.whats if isinstance(what, Added))
    return tuple(note for note in notes if note.id not in gone)


def _archive(foreign: Sequence[Json]) -> Archive:
    life = Parts(SETTINGS, RamStore()).of(LIFE)
    life.import_file(EXAMPLES / "sample_life.jsonl")
    with tempfile.TemporaryDirectory(prefix="paramecium-") as folder:
        written = Path(folder) / "others.jsonl"
        written.write_bytes(b"\n".join(map(dump_json, foreign)))
        life.import_file(written)
    return life.archive


def _turns(archive: Archive) -> Iterator[Turn]:
    for conversation in sorted({conversation for conversation, _ in archive.heads()}):
        said = path(archive.read(conversation))
        for entry, following in zip(said, (*said[1:], None), strict=True):
            if entry.role == "user":
                answer = following if following is not None and following.role == "assistant" else None
                yield Turn(conversation, datetime.fromisoformat(entry.at), entry, answer)


def _by_hand(archive: Archive) -> list[Taken]:
    lines = read_notes(EXAMPLES / "sample_notes.jsonl")
    notes = quoted(lines, archive)
    taken: list[Taken] = []
    for line, note in zip(lines, notes, strict=True):
        if note is None:
            continue
        earlier = notes[line["supersedes"]] if "supersedes" in line else None
        over = () if earlier is None else (Superseded(earlier.id, note.id, "updates", 1.0),)
        taken.append(Taken(datetime.fromisoformat(note.said_at).date(), (Added(note), *over)))
    return taken


def _by_rule(archive: Archive, conversation: str) -> Iterator[Taken]:
    for entry in archive.read(conversation):
        said = spoken_from(conversation, entry)
        found = find_quote(said.text[:QUOTE_MAX], said.text) if said is not None else None
        if said is None or said.role != "user" or len(said.text) < NOTED_MIN or found is None:
            continue
        day = datetime.fromisoformat(said.at).date()
        yield Taken(day, (Added(note_on(said, *found, said.text[:CONTENT_MAX], f"{day}")),))


def _probes(archive: Archive, taken: Sequence[Taken]) -> Iterator[Probe]:
    """A question of the sample life is a probe when a note that holds stands on a message that answers it."""
    gone = {what.memory for t in taken for what in t.whats if isinstance(what, Superseded)}
    notes = [what.note for t in taken for what in t.whats if isinstance(what, Added) and what.note.id not in gone]
    for line in (EXAMPLES / "questions.jsonl").read_bytes().split(b"\n"):
        if not line:
            continue
        raw = load_json(line)
        conversation = conversation_id(raw["conversation"])
        named = raw["message_index"] if isinstance(raw["message_index"], list) else [raw["message_index"]]
        right = {e.id for e in archive.read(conversation) if e.source.get("position") in named}
        answering = frozenset(n.id for n in notes if n.conversation == conversation and n.message in right)
        if answering:
            yield Probe(raw["q"], answering)
