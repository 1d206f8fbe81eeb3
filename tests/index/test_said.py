"""The index keeps what the person and the AI said, and the marks of a conversation; nothing else of an entry."""

from dataclasses import replace

import pytest

from paramecium.index.said import Mark, Said, day_of, mark_from, said_from
from paramecium.messages import Entry


def test_a_message_is_kept_as_it_was_said() -> None:
    """Text, speaker and moment stand unchanged; the day is that of the moment's own offset."""
    entry = Entry("m1", 3, "message", "m0", "user", "小明", "2024-05-01T00:30:00.000+08:00", " 你好\u2028\ud800\0 ")
    said = Said("c1", 3, "m1", "m0", "user", "小明", "2024-05-01T00:30:00.000+08:00", 739007, " 你好\u2028\ud800\0 ")
    assert said_from("c1", entry) == said
    assert mark_from("c1", entry) is None


@pytest.mark.parametrize("entry", [Entry("m1", 0, "message", role="system", text="规则"), Entry("m1", 0, "tombstone")])
def test_of_what_nobody_said_only_the_place_is_kept(entry: Entry) -> None:
    """A system message and a tombstone leave no word, but what hangs on them is known to hang on what is above."""
    assert said_from("c1", entry) is None
    assert mark_from("c1", entry) == Mark("c1", 0, "link", "m1 ")
    assert mark_from("c1", replace(entry, parent="m0")) == Mark("c1", 0, "link", "m1 m0")


def test_an_echo_is_not_kept() -> None:
    """What only repeats what was said is no message of the index."""
    entry = Entry("m1", 1, role="assistant", text="原话", source={"client": "c"})
    assert said_from("c1", entry) is not None
    assert said_from("c1", replace(entry, source={"client": "c", "echo": True})) is None


@pytest.mark.parametrize("kind", ["rename", "star", "project", "choose"])
def test_a_mark_is_no_message(kind: str) -> None:
    """What steers a conversation is kept as a mark."""
    entry = Entry("m1", 7, kind, text="旅行")  # type: ignore[arg-type]
    assert mark_from("c1", entry) == Mark("c1", 7, kind, "旅行")
    assert said_from("c1", entry) is None


def test_a_moment_that_cannot_be_read_has_no_day() -> None:
    """A day is unknown rather than guessed."""
    assert day_of("2024-05-01T23:59:59-11:00") == day_of("2024-05-01") == 739007
    assert [day_of(at) for at in ("", "昨天", "2024-13-01", "1714521600")] == [0, 0, 0, 0]
