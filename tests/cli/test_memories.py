"""`paramecium memories pin … correct`: what a person changes, with who and why, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from paramecium.memories.events import Note
from paramecium.messages import load_json
from tests.cli.process import Ended, paramecium
from tests.cli.remembered import event_files, remember


@pytest.fixture
def notes(copy: Path) -> list[Note]:
    """Gives three memories in a copy of the sample life."""
    return remember(copy)


def memories(life: Path, *arguments: str) -> Ended:
    """Runs the command in the folder above the life's."""
    return paramecium("--data", life, "memories", *arguments, cwd=life.parent)


def last_event(life: Path) -> dict[str, Any]:
    """Returns the newest event as it stands."""
    found: dict[str, Any] = load_json(max(life.glob("main/memories/events/*.json")).read_bytes())
    return found


CHANGES = [
    ("pin", (), "pinned", "Pinned"),
    ("unpin", (), "live", "Unpinned"),
    ("validity", ("--from", "2026-06-12", "--until", "2027-06-12"), "live", "ValidityChanged"),
    ("supersede", ("--by", "{2}"), "superseded", "Superseded"),
    ("revive", (), "live", "Revived"),
    ("retire", (), "retired", "Retired"),
    ("unretire", (), "live", "Unretired"),
    ("correct", ("其实是茉莉\n",), "retired", "Corrected"),
]


def test_each_change_is_one_event_and_a_second_time_none(copy: Path, notes: list[Note]) -> None:
    """With who and why; --json says how the memory stands and whether anything changed."""
    ident = notes[0].id
    for n, (command, more, state, kind) in enumerate(CHANGES):
        arguments = [a.replace("{2}", notes[2].id) for a in more]
        done = memories(copy, command, ident[:8], *arguments, "--why", "要紧的事", "--json")
        assert (done.code, done.json) == (0, {"id": ident, "state": state, "changed": True}), done.err
        event = last_event(copy)
        assert (event["kind"], event["by"], event["why"]) == (kind, "person", "要紧的事")
        assert event["at"].endswith("+08:00")
        again = memories(copy, command, ident, *arguments, "--json")
        assert again.json == {"id": ident, "state": state, "changed": False}
        assert "nothing was changed" in again.err
        assert event_files(copy) == 6 + n


def test_a_correction_is_a_fact_word_for_word(copy: Path, notes: list[Note]) -> None:
    """The file holds exactly the text given, behind when and of what it was written."""
    text = " 其实是茉莉\r\n\u2028不加糖 "
    done = memories(copy, "correct", notes[0].id, text)
    assert f"what is right stands in facts/{notes[0].id}.md" in done.err
    head, _, body = (copy / "main" / "facts" / f"{notes[0].id}.md").read_bytes().partition(b"\n---\n")
    assert body == text.encode()
    assert head.split(b"\n")[2] == f"corrects: {notes[0].id}".encode()


def test_a_person_reads_what_was_done(copy: Path, notes: list[Note]) -> None:
    """On standard error, in one line."""
    ident = notes[0].id
    done = memories(copy, "pin", ident)
    assert (done.out, done.err) == ("", f"pinned: {ident}; it is pinned now\n")
    assert memories(copy, "pin", ident).err == f"{ident} is pinned already; nothing was changed\n"


def test_a_correction_taken_back_names_the_fact_that_stays(copy: Path, notes: list[Note]) -> None:
    """Its file still speaks to the AI, so the person is told of it; without a correction nothing is."""
    ident = notes[0].id
    memories(copy, "correct", ident, "其实是茉莉")
    done = memories(copy, "unretire", ident[:8])
    assert f"facts/{ident}.md is left as it is; delete it if it no longer holds\n" in done.err
    assert (copy / "main" / "facts" / f"{ident}.md").exists()
    memories(copy, "retire", ident)
    assert "facts/" not in memories(copy, "unretire", ident).err


def test_what_is_refused_changes_nothing(copy: Path, notes: list[Note]) -> None:
    """Each with one sentence, its exit code, and no event."""
    one, two, three = (note.id for note in notes)
    memories(copy, "pin", one)
    standing = event_files(copy)
    cases = [
        (("supersede", one, "--by", two), 1, "is pinned: unpin it first"),
        (("supersede", two, "--by", two), 2, "cannot supersede itself"),
        (("supersede", two), 2, "missing option '--by'"),
        (("retire", "m-zzzzzz"), 1, "no memory m-zzzzzz"),
        (("retire", "m-"), 2, "not a memory's id: 'm-'"),
        (("validity", two), 2, "neither a first nor a last day"),
        (("validity", two, "--from", "2026-14-40"), 2, "from is not a day of the form YYYY-MM-DD: '2026-14-40'"),
        (("validity", two, "--from", "2026-06-02", "--until", "2026-06-01"), 2, "is behind until"),
        (("correct", three, " "), 2, "blank"),
    ]
    for arguments, code, words in cases:
        done = memories(copy, *arguments, "--json")
        assert (done.code, done.out) == (code, ""), done.out
        assert words in done.sentence()
    assert event_files(copy) == standing
    assert not (copy / "main" / "facts").exists()
