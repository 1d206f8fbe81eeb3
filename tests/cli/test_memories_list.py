"""`paramecium memories list` and `show`: what is remembered, and one memory whole; reading writes nothing."""

from pathlib import Path

import pytest

from paramecium.cli.memories_list import NO_NOTES
from paramecium.memories.events import Note
from tests.cli.process import Ended, paramecium
from tests.cli.remembered import event_files, remember

KEYS = ["id", "date", "title", "content", "quote", "conversation", "message", "start", "end", "state"]


@pytest.fixture
def notes(copy: Path) -> list[Note]:
    """Gives three memories in a copy of the sample life."""
    return remember(copy)


def memories(life: Path, *arguments: str) -> Ended:
    """Runs the command in the folder above the life's."""
    return paramecium("--data", life, "memories", *arguments, cwd=life.parent)


def listed(life: Path, *arguments: str) -> list[str]:
    """Returns the ids of a list that is told as JSON."""
    done = memories(life, "list", *arguments, "--json")
    assert done.code == 0, done.err
    return [item["id"] for item in done.json]


def test_the_list_is_an_array_of_exactly_these_fields(copy: Path, notes: list[Note]) -> None:
    """Oldest added first; each quote is the archive's own characters, each title a line of at most 60."""
    done = memories(copy, "list", "--json")
    assert done.code == 0
    assert [list(item) for item in done.json] == [KEYS] * 3
    assert [item["content"] for item in done.json] == [note.content for note in notes]
    shown = {"start": notes[0].start, "end": notes[0].end, "date": "2026-06-12", "state": "live"}
    assert done.json[0].items() >= shown.items()
    assert [item["title"] for item in done.json[:2]] == ["林夏以后奶茶只喝乌龙轻乳茶", "砚台是林夏的猫 它打过疫苗"]
    assert len(done.json[2]["title"]) == 60
    assert (done.err, event_files(copy)) == ("", 5)
    assert "林夏" in done.out


def test_the_list_is_narrowed(copy: Path, notes: list[Note]) -> None:
    """By how a memory stands, by words of content or quote in either script, and by number."""
    one, two, three = (note.id for note in notes)
    for arguments in (("pin", two), ("supersede", one, "--by", three)):
        assert memories(copy, *arguments).code == 0
    assert [listed(copy, "--state", s) for s in ("live", "pinned", "superseded", "retired")] == [
        [three],
        [two],
        [one],
        [],
    ]
    assert [listed(copy, "--find", words) for words in ("烏龍", "疫苗", "燈塔", "没有这样的话")] == [
        [one],
        [two],
        [three],
        [],
    ]
    assert listed(copy, "--limit", "2") == [one, two]
    assert listed(copy, "--find", "林夏", "--state", "pinned", "--limit", "1") == [two]


def test_a_person_reads_a_line_a_memory(copy: Path, notes: list[Note]) -> None:
    """Id, date and title; what is not live is marked."""
    memories(copy, "pin", notes[1].id)
    done = memories(copy, "list")
    assert done.out.split("\n")[:2] == [
        f"{notes[0].id}  2026-06-12  林夏以后奶茶只喝乌龙轻乳茶",
        f"{notes[1].id}  2026-03-05 [pinned]  砚台是林夏的猫 它打过疫苗",
    ]
    assert f"{notes[2].id}  date unknown  灯塔的事" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "--state", "gone"), "state is 'gone'"),
        (("list", "--limit", "0"), "limit is 0"),
        (("show", "m-12"), "not a memory's id: 'm-12'"),
        (("show",), "missing argument"),
        ((), "missing command"),
    ],
)
def test_bad_input_names_its_field(arguments: tuple[str, ...], words: str, life: Path) -> None:
    """What cannot be asked is refused with exit code 2."""
    done = memories(life, *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.sentence()


def test_nothing_remembered_is_said(life: Path, tmp_path: Path) -> None:
    """An empty array, or a sentence; a folder that is not there is noted, and not made."""
    done = memories(life, "list", "--json")
    assert (done.code, done.json, done.err) == (0, [], f"{NO_NOTES}\n")
    done = paramecium("memories", "list", cwd=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert "note: there is no folder data yet" in done.err
    done = paramecium("memories", "show", "m-12345", cwd=tmp_path)
    assert (done.code, done.sentence()) == (1, "no memory m-12345; `paramecium memories list` shows them")
    assert list(tmp_path.iterdir()) == []


def test_one_memory_is_shown_whole(copy: Path, notes: list[Note]) -> None:
    """Where it stands, its chain both ways, its validity, how often it was recalled, and every event with its why."""
    one, two, three = (note.id for note in notes)
    memories(copy, "supersede", one, "--by", two, "--why", "换了口味")
    memories(copy, "supersede", two, "--by", three)
    memories(copy, "validity", one, "--from", "2026-06-12")
    shown = memories(copy, "show", one, "--json").json
    assert list(shown)[: len(KEYS)] == KEYS
    assert (shown["state"], shown["superseded_by"], shown["supersedes"]) == ("superseded", [two, three], [])
    assert (shown["valid_from"], shown["valid_until"]) == ("2026-06-12", "")
    assert (shown["speaker"], shown["said_at"][:10]) == ("林夏", "2026-06-12")
    assert [call["query"] for call in shown["recalled"]] == ["奶茶", "喝什么"]
    events = [(e["kind"], e["by"], e["why"]) for e in shown["events"]]
    assert events == [("Added", "extract", ""), ("Superseded", "person", "换了口味"), ("ValidityChanged", "person", "")]
    assert shown["events"][1]["successor"] == two
    assert memories(copy, "show", three, "--json").json["supersedes"] == [two, one]
    assert event_files(copy) == 8


def test_a_person_reads_all_of_it(copy: Path, notes: list[Note]) -> None:
    """Content and quote word for word, and the rest in sentences."""
    note = notes[0]
    memories(copy, "correct", note.id, "其实是茉莉", "--why", "听错了")
    done = memories(copy, "show", note.id[:10])
    for words in (
        f"{note.id}  2026-06-12  retired\n{note.content}\n  quote: {note.quote}\n",
        f"said by 林夏, 2026-06-12 23:47, in {note.conversation}, message {note.message}",
        f"corrected by facts/{note.id}.md",
        "recalled 2 times\n    2026-06-13 08:03 extract: 奶茶\n",
        f"Corrected by person (fact facts/{note.id}.md): 听错了",
    ):
        assert words in done.out, done.out
    assert event_files(copy) == 6


def test_half_a_character_is_shown_all_the_same(copy: Path, notes: list[Note]) -> None:
    """A memory with a lone surrogate and a NUL comes back in JSON as it is, and to a person escaped."""
    key = copy / "main" / "memories" / "events" / "00000001.json"
    body = key.read_text("utf-8").replace("砚台是", "半个\\ud83d\\u0000是")
    key.write_text(body, "utf-8")
    done = memories(copy, "list", "--json")
    assert done.json[1]["content"].startswith("半个\ud83d\0是")
    assert "半个\\ud83d 是" in memories(copy, "list").out
    assert memories(copy, "show", notes[1].id).code == 0


def test_a_damaged_event_is_told_by_its_key(copy: Path, notes: list[Note]) -> None:
    """The rest is listed, but not as if nothing were missing, and verify says what to do."""
    (copy / "main" / "memories" / "events" / "00000001.json").write_text("{", "utf-8")
    done = memories(copy, "list", "--json")
    assert done.code == 1
    assert [one["id"] for one in done.json] == [note.id for note in notes if note.id != notes[1].id]
    assert "main/memories/events/00000001.json" in done.err
    assert notes[1].content not in done.err
    verified = paramecium("--data", copy, "verify", cwd=copy.parent)
    assert verified.code == 1
    assert "put these files back from a copy" in verified.err


def test_verify_counts_the_memories(copy: Path, notes: list[Note]) -> None:
    """Each is compared with the words it stands on; the document has the fields it always had."""
    done = paramecium("--data", copy, "verify", "--json", cwd=copy.parent)
    assert (done.code, done.json["problems"]) == (0, [])
    assert list(done.json) == ["entries", "passages", "waiting", "problems"]
    assert f"{len(notes)} notes compared with the words they stand on" in done.err
