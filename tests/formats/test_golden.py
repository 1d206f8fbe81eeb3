"""Every stored form of version 1, read and written back byte for byte; golden files are added to, never edited."""

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from paramecium.archive import blocks
from paramecium.archive.heads import get_head, put_head
from paramecium.chat.known import known_of
from paramecium.memories.events import Added, Event, Later, Recalled, What, event_from, event_to
from paramecium.messages import Entry, dump_json, entry_from, entry_to, load_json
from paramecium.store import keys
from paramecium.store.ram import RamStore

FOLDER = Path(__file__).parent
ENTRIES = sorted((FOLDER / "entry").glob("v1-*.json"))
BLOCKS = sorted((FOLDER / "block").glob("v1-*.json"))
EVENTS = sorted((FOLDER / "event").glob("v1-*.json"))
HEADS = sorted((FOLDER / "head").glob("v1-*.json"))


def test_no_golden_file_was_edited() -> None:
    """Every golden file has the hash that was noted when it was added, and every file is noted."""
    lines = (FOLDER / "SHA256SUMS").read_text("utf-8").splitlines()
    noted = {line.partition("  ")[2]: line.partition("  ")[0] for line in lines}
    found = {p.relative_to(FOLDER).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in FOLDER.glob("*/v1*")}
    assert found == noted


@pytest.mark.parametrize("file", ENTRIES, ids=lambda p: p.stem)
def test_an_entry_is_written_back_byte_for_byte(file: Path) -> None:
    """An entry of version 1 is read, and written again with the same bytes."""
    assert dump_json(entry_to(entry_from(load_json(file.read_bytes())))) == file.read_bytes()


def test_the_golden_entries_cover_every_kind_role_and_field() -> None:
    """No kind, role or field of an entry is without a golden file, unknown later fields included."""
    entries = [entry_from(load_json(file.read_bytes())) for file in ENTRIES]
    blank = Entry("", 0)
    used = {f.name for f in fields(Entry) for e in entries if getattr(e, f.name) != getattr(blank, f.name)}
    assert {e.kind for e in entries} == {"message", "rename", "star", "project", "choose", "tombstone"}
    assert {e.role for e in entries if e.is_message} | {"system"} == {e.role for e in entries if e.kind == "message"}
    assert used == {f.name for f in fields(Entry)}


def test_the_sacred_text_is_what_was_said() -> None:
    """Half emoji, NUL, line separators, CRLF and outer spaces are in the entry as they were typed."""
    entry = entry_from(load_json((FOLDER / "entry" / "v1-sacred-text.json").read_bytes()))
    assert entry.text == (
        '  半个\ud83d表情\udc31\0 行\u2028段\u2029\x85\r\n\t引号"反斜\\u4e00 👨\u200d👩\u200d👧 \u00e9 e\u0301\n\n'
    )


def test_what_golden_entries_were_given_is_known() -> None:
    """The menu and the facts beside a question, and the note opened in its answer, are read as what stands there."""
    names = ("v1-given", "v1-recalled-note")
    question, answer = (entry_from(load_json((FOLDER / "entry" / f"{n}.json").read_bytes())) for n in names)
    known = known_of("here", (question, answer))
    assert known.listed == frozenset(known.recalled) == {"m-6a0f3c1b2d4e5f60718293a4"}
    assert list(known.facts) == ["facts/茶.md"]
    assert known.seen["x-4fbc2c558b50dd4f640daee0", "m-d6c8b6dc614f945b369f252a"] == ((0, 16),)


@pytest.mark.parametrize("file", BLOCKS, ids=lambda p: p.stem)
def test_a_block_is_written_back_byte_for_byte(file: Path) -> None:
    """A block of version 1 is read under its key, and cut again into the same bytes."""
    n = int(file.stem.rpartition("-")[2])
    entries = blocks.decode(keys.block("main", "x-1", n), file.read_bytes())
    assert blocks.cut(entries, n) == (entries, file.read_bytes())


@pytest.mark.parametrize("file", HEADS, ids=lambda p: p.stem)
def test_a_head_is_stored_byte_for_byte(file: Path) -> None:
    """A head of version 1 is stored with the same bytes under the hash of them."""
    store = RamStore()
    sha256 = put_head(store, "main", load_json(file.read_bytes()))
    assert sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert store.get(keys.head("main", sha256)).body == file.read_bytes()
    assert dump_json(get_head(store, "main", sha256)) == file.read_bytes()


@pytest.mark.parametrize("file", EVENTS, ids=lambda p: p.stem)
def test_an_event_is_written_back_byte_for_byte(file: Path) -> None:
    """An event of version 1 is read, and written again with the same bytes; of a later kind too."""
    assert dump_json(event_to(event_from(load_json(file.read_bytes())))) == file.read_bytes()


def test_the_golden_events_cover_every_kind_and_every_field() -> None:
    """No kind of event is without a golden file, and no field of one is empty in all of them."""
    events = [event_from(load_json(file.read_bytes())) for file in EVENTS]
    assert {type(e.what) for e in events} == set(get_args(What))
    filled = {(type(e.what), f.name) for e in events for f in fields(e.what) if getattr(e.what, f.name)}
    assert filled == {(kind, f.name) for kind in get_args(What) for f in fields(kind)}
    notes = [e.what.note._asdict() for e in events if isinstance(e.what, Added)]
    assert all(any(note[name] for note in notes) for name in notes[0])


def test_a_quote_keeps_its_line_break_and_its_halves() -> None:
    """CRLF, half an emoji, NUL and line separators stand in a quote as they were typed."""
    quotes = [e.what.note.quote for e in map(_event, ("added", "added-sacred-text")) if isinstance(e.what, Added)]
    assert quotes[0] == "今天带豆包去打疫苗了\r\n它一路都在叫"
    assert quotes[1] == "半个\ud83d表情\udc31\0 行\u2028段\x85 👨\u200d👩\u200d👧 e\u0301"
    later, recalled = _event("later-kind").what, _event("recalled").what
    assert isinstance(later, Later)
    assert later.rest["what"]["by"]["half"] == "\ud83d"
    assert isinstance(recalled, Recalled)
    assert recalled.windows[0]["conversation"] == "maobao"


def _event(name: str) -> Event:
    return event_from(load_json((FOLDER / "event" / f"v1-{name}.json").read_bytes()))
