"""A view reads messages and how they hang together, wherever they stand."""

from pathlib import Path

import pytest

from paramecium.errors import ConversationMissing
from paramecium.index.said import day_of
from tests.recall.lives import Life

AT = "2026-03-01T08:00:00+08:00"


def test_what_stands_and_what_is_fresh_read_the_same(tmp_path: Path) -> None:
    """Words, day and the whole message are the same before and after an ingest."""
    life = Life(tmp_path)
    life.say("a", "你好\u2028", "\ud800", at=AT)
    read = []
    for _ in range(2):
        view = life.views.view()
        read.append([(view.said(p), view.text(p), view.day(p)) for p in life.said])
        assert view.conversations == {"a"}
        life.ingest()
    assert read[0] == read[1]
    assert [(text, day) for _, text, day in read[0]] == [("你好\u2028", day_of(AT)), ("\ud800", day_of(AT))]


def test_what_is_nowhere_is_missing(tmp_path: Path) -> None:
    """A message or conversation that is not here is missing, and has no day."""
    life = Life(tmp_path)
    life.say("a", "你好")
    view = life.views.view()
    assert view.day(("a", 0)) is not None
    for place in (("a", 1), ("b", 0)):
        assert view.day(place) is None
        for read in (view.said, view.text):
            with pytest.raises(ConversationMissing, match="no message"):
                read(place)
    with pytest.raises(ConversationMissing, match="no conversation b"):
        view.talk("b")


def test_a_talk_grows_with_what_is_said(tmp_path: Path) -> None:
    """Each new message and each mark is in the talk of the next view, and an earlier view keeps its own."""
    life = Life(tmp_path)
    life.say("a", "一", "二")
    life.ingest()
    before = life.views.view()
    assert before.talk("a").path == (0, 1)
    life.say("a", "三")
    assert life.views.view().talk("a").path == (0, 1, 2)
    assert before.talk("a").path == (0, 1)
    life.mark("a", "choose", "a-0")
    assert life.views.view().talk("a").path == (0,)
    life.ingest()
    assert life.views.view().talk("a").path == (0,)
    assert [m.value for m in life.views.view().marks("a")] == ["a-0"]


def test_the_same_moment_has_the_same_view(tmp_path: Path) -> None:
    """Nothing new, no new view; the talk of a conversation that did not change is not made again."""
    life = Life(tmp_path)
    life.say("a", "一")
    life.say("b", "二")
    life.ingest()
    view = life.views.view()
    assert life.views.view() is view
    talk = view.talk("a")
    life.say("b", "三")
    assert life.views.view() is not view
    assert life.views.view().talk("a") is talk


def test_a_title_is_that_of_the_last_mark_or_the_first_words(tmp_path: Path) -> None:
    """A title that is fresh counts before one in a segment, an empty one not at all."""
    life = Life(tmp_path)
    life.say("a", "开头")
    for value, title in ((None, "开头"), ("旧", "旧"), ("新", "新"), ("", "开头")):
        if value is not None:
            life.mark("a", "rename", value)
        for _ in range(2):
            view = life.views.view()
            assert view.title(view.talk("a")) == title
            life.ingest()
