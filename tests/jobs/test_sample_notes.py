"""Notes written by hand come into the ledger where their quote stands, once, and stay as a person left them."""

from pathlib import Path

import pytest

from paramecium.errors import BadLine
from paramecium.jobs.sample_notes import BY, NotesReport, add_notes
from paramecium.memories.events import Event, Forgotten, Revived
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State, fold
from paramecium.messages import dump_json
from paramecium.settings import Settings
from paramecium.store.ram import RamStore
from paramecium.wiring import Parts
from tests.fakes import FixedClock, HashEmbedder, Killed, WatchedStore

TALK = {
    "id": "tea",
    "title": "茶",
    "messages": [
        {"role": "user", "content": "我以前奶茶都喝草莓啵啵，全糖", "at": "2026-03-27T22:46:00+08:00"},
        {"role": "assistant", "content": "记下了。", "at": "2026-03-27T22:47:00+08:00"},
        {"role": "user", "content": "现在只喝乌龙轻乳茶，不另外加糖", "at": "2026-06-12T23:47:00+08:00"},
    ],
}
OLD = {
    "conversation": "tea",
    "message": 0,
    "date": "2026-03-27",
    "content": "她喝草莓啵啵",
    "quote": "奶茶都喝草莓啵啵，全糖",
}
NEW = {
    "conversation": "tea",
    "message": 2,
    "date": "2026-06-12",
    "content": "她只喝乌龙轻乳茶",
    "quote": "现在只喝乌龙轻乳茶，不",
    "supersedes": 0,
}


class Life:
    """Is a life with one talk in memory, and a ledger whose writes a test may end."""

    def __init__(self, folder: Path) -> None:
        self.store, self.folder = RamStore(), folder
        self.parts = Parts(Settings(), self.store, embedder=HashEmbedder(), cache_folder=folder)
        (folder / "talk.jsonl").write_bytes(dump_json(TALK) + b"\n")
        self.parts.of("main").import_file(folder / "talk.jsonl")

    def add(self, *lines: object, die_at: int | None = None) -> NotesReport:
        """Takes in the notes."""
        path = self.folder / "notes.jsonl"
        path.write_bytes(b"\n".join(map(dump_json, lines)))
        ledger = Ledger(WatchedStore(self.store, die_at=die_at), "main")
        return add_notes(path, self.parts.of("main").archive, ledger, timezone="Asia/Shanghai", now=FixedClock())

    @property
    def state(self) -> State:
        """Returns what the ledger adds up to."""
        return fold(State(), Ledger(self.store, "main").read())


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """A life without notes."""
    return Life(tmp_path)


def test_a_note_holds_the_words_of_the_message(life: Life) -> None:
    """The note's range cuts its quote out of the message, whose number, speaker and day it names."""
    assert life.add(OLD) == NotesReport(added=1)
    (memory,) = life.state.memories.values()
    note, entry = memory.note, life.parts.of("main").archive.read(memory.note.conversation)[memory.note.n]
    assert entry.text[note.start : note.end] == note.quote == OLD["quote"]
    assert (note.message, note.said_at, note.role) == (entry.id, entry.at, "user")
    assert (note.content, note.date) == ("她喝草莓啵啵", "2026-03-27")


def test_a_later_line_supersedes_an_earlier_one(life: Life) -> None:
    """A note that names an earlier line makes it superseded, by the demo, as an update."""
    life.add(OLD, NEW)
    old, new = life.state.memories.values()
    assert (life.state.standing(old), life.state.standing(new)) == ("superseded", "live")
    assert {event.by for event in Ledger(life.store, "main").read()} == {BY}


def test_a_second_run_adds_nothing(life: Life) -> None:
    """The same file again leaves the ledger as it is."""
    life.add(OLD, NEW)
    before = Ledger(life.store, "main").read()
    assert life.add(OLD, NEW) == NotesReport(already=2)
    assert Ledger(life.store, "main").read() == before


@pytest.mark.parametrize("die_at", range(1, 6))
def test_a_killed_run_is_ended_by_the_next(life: Life, die_at: int) -> None:
    """Killed at any call, the next run brings every note once, and what it supersedes."""
    with pytest.raises(Killed):
        life.add(OLD, NEW, die_at=die_at)
    life.add(OLD, NEW)
    kinds = [type(event.what).__name__ for event in Ledger(life.store, "main").read()]
    assert sorted(kinds) == ["Added", "Added", "Superseded"]


def test_what_is_not_quoted_is_not_taken(life: Life) -> None:
    """A quote that was never said, and a message that is not there, are counted and leave no note."""
    wrong = OLD | {"quote": "奶茶都喝草莓啵啵，半糖"}
    assert life.add(wrong, OLD | {"message": 9}, OLD | {"conversation": "none"}) == NotesReport(unquoted=3)
    assert life.state.memories == {}


def test_what_a_person_changed_stays(life: Life) -> None:
    """A note forgotten since is not added again, and one revived since is not superseded again."""
    life.add(OLD, NEW)
    old, new = life.state.memories
    person = Event("01jzzzzzzzzzzzzzzzzzzzzzz1", "2026-07-01T10:00:00+08:00", "person", Revived(old))
    Ledger(life.store, "main").append([person])
    life.add(OLD, NEW)
    assert life.state.standing(life.state.memories[old]) == "live"
    Ledger(life.store, "main").append([Event("01jzzzzzzzzzzzzzzzzzzzzzz2", person.at, "person", Forgotten(new))])
    life.add(OLD, NEW)
    assert list(life.state.memories) == [old]


@pytest.mark.parametrize("wrong", [{"message": "0"}, {"quote": None}, {"supersedes": 0}, {"supersedes": True}])
def test_a_line_that_is_no_note_is_named(life: Life, wrong: dict[str, object]) -> None:
    """A line with a wrong field stops the run before anything is added, and its number is told."""
    with pytest.raises(BadLine, match="line 1"):
        life.add(OLD | wrong, NEW)
    assert life.state.memories == {}
