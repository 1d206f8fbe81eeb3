"""Verify: each fault of a memory is found, in a life whose memories a moment before were as they should be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paramecium.archive.blocks import decode
from paramecium.jobs.verify import verify
from paramecium.memories.events import Added, Event, Forgotten, Later, Note, Pinned, Superseded, What
from paramecium.memories.ledger import Ledger
from paramecium.memories.quotes import memory_id
from paramecium.messages import Json, dump_json, load_json
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.lives import Life, put, small_life

CRLF = "开了\r\n满院子都是"


def note_on(life: Life, conversation: str, message: str, quote: str) -> Note:
    """Returns the note that stands on these words of a message."""
    entry = next(e for e in life.archive.read(conversation) if e.id == message)
    start = entry.text.index(quote)
    end = start + len(quote)
    ident = memory_id(conversation, message, start, end, quote)
    place = (conversation, message, entry.n, start, end)
    return Note(ident, "记下的话", quote, *place, "2026-06-05", entry.at, entry.speaker, entry.role or "")


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Returns a life with three memories, verified to be sound."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    notes = [
        note_on(life, "maobao", "maobao-0", "带豆包去打疫苗"),
        note_on(life, "maobao", "maobao-4", CRLF),
        note_on(life, "shishi", "shishi-2", "躲进柜子里（shishi第2句）"),
    ]
    whats: list[What] = [
        *map(Added, notes),
        Superseded(notes[0].id, notes[1].id),
        Later("Merged", {"what": {}}),
        Pinned(notes[2].id),
    ]
    ledger = Ledger(life.store, "main")
    ledger.append([Event(f"e-{i}", "2026-06-12T10:00:00+08:00", "extract", what) for i, what in enumerate(whats)])
    report = life.verify()
    assert (report.memories, report.problems) == (3, ())
    return life


def ids(life: Life) -> list[str]:
    """Returns the ids of the memories, in their order."""
    return [e.what.note.id for e in Ledger(life.store, "main").read() if isinstance(e.what, Added)]


def rewrite(life: Life, n: int, change: Callable[[Json], Any]) -> None:
    """Alters the bytes of an event as a failing disk or a stranger does."""
    key = keys.event("main", n)
    raw = load_json(life.store.get(key).body)
    change(raw)
    put(life.store, key, dump_json(raw))


ALTERED: dict[str, tuple[Callable[[Json], Any], str]] = {
    "a character of the quote": (lambda w: w.update(quote=w["quote"].replace("满", "漫")), "its quote is not"),
    "a line break of the quote": (lambda w: w.update(quote=w["quote"].replace("\r\n", "\n")), "its quote is not"),
    "the start": (lambda w: w.update(start=w["start"] + 1), "its quote is not"),
    "the end": (lambda w: w.update(end=w["end"] - 1), "its quote is not"),
    "a range from behind": (lambda w: w.update(start=w["start"] - 20, end=w["end"] - 20), "its quote is not"),
    "a range beyond the end": (lambda w: w.update(end=w["end"] + 10_000), "its quote is not"),
    "an empty range": (lambda w: w.update(quote="", end=w["start"]), "its quote is not"),
    "the number": (lambda w: w.update(n=3), "its n is not the message's"),
    "the moment": (lambda w: w.update(said_at=""), "its said_at is not the message's"),
    "the speaker": (lambda w: w.update(speaker="别人"), "its speaker is not the message's"),
    "the role": (lambda w: w.update(role="assistant"), "its role is not the message's"),
    "the message": (lambda w: w.update(message="maobao-2"), "its quote is not"),
    "a message that is not there": (lambda w: w.update(message="maobao-99"), "which the archive does not have"),
    "the conversation": (lambda w: w.update(conversation="nobody"), "which the archive does not have"),
    "what is no message": (lambda w: w.update(message="title-1"), "that is no message of the talk"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_note_is_a_problem(name: str, life: Life) -> None:
    """Whatever of it is not what it was, one problem or more names the memory and no word of it."""
    change, words = ALTERED[name]
    ident = ids(life)[1]
    rewrite(life, 1, lambda raw: change(raw["what"]))
    report = life.verify()
    assert any(f"memory {ident} stands on" in p and words in p for p in report.problems), report.problems
    assert report.archive_problems == len(report.problems)
    assert not any("院子" in p or "别人" in p for p in report.problems)


@pytest.mark.parametrize(("name", "value"), [("id", "m-" + "0" * 24), ("quote", "开了")])
def test_an_id_that_is_not_that_of_its_quote_is_a_problem(name: str, value: str, life: Life) -> None:
    """The id is a hash of the words and their place; another id or other words do not agree with it."""
    known = ids(life)[1]
    rewrite(life, 1, lambda raw: raw["what"].update({name: value}))
    ident = value if name == "id" else known
    assert f"memory {ident} does not have the id of its quote" in life.verify().problems


def test_an_altered_id_is_also_missed_where_it_is_named(life: Life) -> None:
    """What superseded or pinned it names a memory that no event adds."""
    known = ids(life)[1]
    rewrite(life, 1, lambda raw: raw["what"].update(id="m-" + "0" * 24))
    assert f"{keys.event('main', 3)} names memory {known}, which no event adds" in life.verify().problems


@pytest.mark.parametrize("size", [0, 1, 100, -1])
def test_an_event_that_was_cut_is_a_problem(size: int, life: Life) -> None:
    """Its key is named once, and it is the archive that is to be put back."""
    key = keys.event("main", 3)
    put(life.store, key, life.store.get(key).body[:size])
    report = life.verify()
    assert len(report.problems) == report.archive_problems == 1
    assert report.problems[0].startswith(f"{key}: ")
    assert report.memories == 3


@pytest.mark.parametrize("n", [0, 2, 4])
def test_an_event_that_is_gone_is_a_problem(n: int, life: Life) -> None:
    """The numbers run without a gap."""
    life.store.delete(keys.event("main", n))
    report = life.verify()
    assert report.problems == (f"{keys.event('main', n)}: no event has this number, though later ones stand",)
    assert report.archive_problems == 1


def test_what_is_no_event_s_name_is_a_problem(life: Life) -> None:
    """It would be a memory nobody reads."""
    life.store.create("main/memories/events/1.json", b"{}")
    assert life.verify().problems == ("main/memories/events/1.json is not the name of an event",)


def test_a_successor_that_no_event_adds_is_a_problem(life: Life) -> None:
    """Of a forgotten one it is known that it was there."""
    first, gone = ids(life)[0], "m-" + "9" * 24
    Ledger(life.store, "main").append([Event("x", "", "person", Superseded(first, gone))])
    assert life.verify().problems == (f"{keys.event('main', 6)} names memory {gone}, which no event adds",)
    Ledger(life.store, "main").append([Event("y", "", "person", Forgotten(gone))])
    assert life.verify().problems == ()


def test_words_that_outlived_their_message_are_a_problem(life: Life) -> None:
    """A tombstone in the message's place, and the memory still carries its words."""
    key = keys.block("main", "shishi", 2)
    raw = [dict(load_json(dump_json(e))) for e in load_json(life.store.get(key).body)]
    raw[0].update(kind="tombstone", text="", speaker="", at="")
    put(life.store, key, dump_json(raw))
    assert decode(key, life.store.get(key).body)[0].kind == "tombstone"
    said = f"memory {ids(life)[2]} still carries words of shishi message shishi-2, a tombstone"
    assert said in life.verify().problems


def test_a_conversation_that_cannot_be_read_is_told_once(life: Life) -> None:
    """The notes that stand on it are not told beside it."""
    key = keys.block("main", "shishi", 2)
    put(life.store, key, b"[{}]")
    assert not [p for p in life.verify().problems if "memory" in p]


def test_a_memory_taken_twice_is_one(life: Life) -> None:
    """Two events that add the same note are no problem, and one memory."""
    again = next(e for e in Ledger(life.store, "main").read() if isinstance(e.what, Added))
    Ledger(life.store, "main").append([Event("x", "", "extract", again.what)])
    report = life.verify()
    assert (report.memories, report.problems) == (3, ())


def test_the_memories_of_another_life_are_its_own(life: Life) -> None:
    """A damaged event there is no problem here."""
    life.store.create(keys.event("other", 0), b"")
    assert life.verify().problems == ()


def test_without_memories_it_costs_one_listing(tmp_path: Path) -> None:
    """And nothing else of the ledger is asked for; whether blocks lie about is looked at besides."""
    life = small_life(RamStore(), tmp_path)
    watched = WatchedStore(life.store)
    assert verify(life.indexer(watched)).memories == 0
    assert [name for name, key in watched.calls if key.startswith("main/memories/")] == ["list"]
