"""`paramecium menu` over the sample life and its notes, with the real embedding model."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from evals.menu.talk import SMALL_TALK
from paramecium.archive.names import conversation_id
from paramecium.cli.memories_list import NO_NOTES
from paramecium.memories.events import Added, Event, Note
from paramecium.memories.ledger import Ledger
from paramecium.store.local import LocalStore
from tests.cli.process import ROOT, Ended, paramecium

ASK = "砚台今天上秤又胖了，周医生说五公斤九要慢慢减"


def files(folder: Path) -> dict[str, str]:
    """Returns the sha256 of every file below a folder."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.fixture
def noted(copy: Path) -> Path:
    """Gives the sample life with its notes in the ledger."""
    lines = (ROOT / "examples" / "sample_notes.jsonl").read_text(encoding="utf-8").split("\n")
    raw: list[dict[str, Any]] = [json.loads(line) for line in lines if line]
    messages = {line["id"]: line["messages"] for line in _talks()}
    events = []
    for i, r in enumerate(raw):
        said = messages[r["conversation"]][r["message"]]
        ident, conversation = _archived(copy, r["conversation"], said["content"])
        start = said["content"].index(r["quote"])
        place = (conversation, ident, r["message"], start, start + len(r["quote"]))
        note = Note(f"note-{i}", r["content"], r["quote"], *place, date=r["date"])
        events.append(Event(f"event-{i}", "2026-12-01T12:00:00+08:00", "person", Added(note)))
    Ledger(LocalStore(copy), "main").append(events)
    return copy


def _talks() -> list[dict[str, Any]]:
    lines = (ROOT / "examples" / "sample_life.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def _archived(life: Path, original: str, text: str) -> tuple[str, str]:
    """Returns the ids of a message and its conversation in the archive."""
    conversation = conversation_id(original)
    blocks = sorted((life / "main" / "archive" / "conversations" / conversation).glob("*.json"))
    entries = [entry for block in blocks for entry in json.loads(block.read_bytes())]
    return next(str(e["id"]) for e in entries if e["kind"] == "message" and e["text"] == text), conversation


def menu(life: Path, *arguments: str) -> Ended:
    """Asks for a menu in the folder above the life's."""
    return paramecium("--data", life, "menu", *arguments, cwd=life.parent)


def test_a_menu_lists_titles_and_counts_as_nothing(noted: Path) -> None:
    """The document, and what a person reads; not one file of the life is another afterwards."""
    before = files(noted)
    done = menu(noted, ASK, "--at", "2026-12-01T12:00", "--json")
    assert done.code == 0, done.err
    shown = done.json
    assert list(shown) == ["lines", "text", "tokens", "late"]
    assert [list(line) for line in shown["lines"]] == [["id", "date", "title", "lanes", "score"]] * len(shown["lines"])
    line = shown["lines"][0]
    assert (line["date"], line["lanes"], shown["late"]) == ("2026-03-05", ["message"], [])
    assert "5.9 公斤" in line["title"]
    assert 0 < shown["tokens"] <= 150
    read = menu(noted, ASK, "--at", "2026-12-01T12:00")
    assert read.out == shown["text"] + "\n"
    assert "\n03-05 " in read.out
    assert files(noted) == before


def test_what_stands_in_the_conversation_is_left_out(noted: Path) -> None:
    """By either name of it; an unknown one is told."""
    ids = {line["id"] for line in menu(noted, ASK, "--json").json["lines"]}
    assert "note-1" in ids
    here = menu(noted, ASK, "--conversation", "0305-scanner", "--json").json
    assert "note-1" not in {line["id"] for line in here["lines"]}
    assert menu(noted, ASK, "--conversation", conversation_id("0305-scanner"), "--json").json == here
    missing = menu(noted, ASK, "--conversation", "nobody")
    assert (missing.code, missing.out) == (1, "")
    assert "nobody" in missing.sentence()


def test_nothing_to_list_is_said(noted: Path) -> None:
    """An empty menu is no error."""
    done = menu(noted, SMALL_TALK[0], "--at", "2026-12-01T12:00")
    assert (done.code, done.out, done.err) == (0, "", "the menu is empty\n")


def test_a_life_without_notes_says_how_they_come(life: Path) -> None:
    """An empty menu for want of notes is told apart from one for want of a likeness."""
    done = menu(life, ASK)
    assert (done.code, done.out, done.err) == (0, "", f"the menu is empty: {NO_NOTES}\n")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((" \n",), "text"),
        (("茶", "--at", "gestern"), "at must be"),
        (("茶", "--at", "9999-12-31T23:59:59-12:00"), "at must be"),
        (("茶", "--at", "0001-01-01"), "at must be"),
    ],
)
def test_bad_input_names_its_field(arguments: tuple[str, ...], field: str, life: Path) -> None:
    """What cannot be asked is refused with exit code 2."""
    done = menu(life, *arguments, "--json")
    assert (done.code, done.out) == (2, "")
    assert field in done.sentence()
