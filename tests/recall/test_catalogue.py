"""Conversations are listed newest first, from one read of the index, and read whole from the archive."""

from pathlib import Path

import pytest

from paramecium.archive.names import conversation_id
from paramecium.errors import Ambiguous, BadId, ConversationMissing
from paramecium.index.segment import Segment
from paramecium.messages import Entry
from tests.recall.lives import Life


def ids(life: Life, limit: int = 100, before: str | None = None) -> list[str]:
    """Returns the ids listed."""
    return [line["id"] for line in life.catalogue.list(limit, before)]


def three(tmp_path: Path) -> Life:
    """Returns a life of three dated conversations and one without dates."""
    life = Life(tmp_path)
    life.say("noon", "中午", at="2026-03-01T12:00:00+00:00")
    life.say("later", "其实更晚", at="2026-03-01T09:00:00-08:00")
    life.say("earlier", "其实更早", at="2026-03-01T18:00:00+08:00")
    life.say("undated", "不知何时", at="")
    return life


def test_the_newest_comes_first(tmp_path: Path) -> None:
    """The order is that of the moments, wherever on earth they were; without one a conversation is last."""
    life = three(tmp_path)
    for _ in range(2):
        assert ids(life) == ["later", "noon", "earlier", "undated"]
        life.build()
    life.say("undated", "现在知道了", at="2026-03-02T00:00:00Z")
    assert ids(life)[0] == "undated"


def test_pages(tmp_path: Path) -> None:
    """At most as many as asked for, behind the one named; behind one that is unknown there is nothing."""
    life = three(tmp_path)
    assert ids(life, 2) == ["later", "noon"]
    assert ids(life, 2, "noon") == ["earlier", "undated"]
    assert ids(life, 2, "undated") == []
    assert ids(life, 2, "nobody") == []
    assert ids(life, 0) == []


def test_a_line_tells_of_the_whole_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Title, number of messages, first and last moment are those over segments and what is fresh."""
    monkeypatch.setattr("paramecium.index.compaction.GROWN_PASSAGES_MAX", 0)
    life = Life(tmp_path)
    days = [f"2026-03-0{n}T08:00:00+08:00" for n in range(1, 6)]
    for n, day in enumerate(days):
        life.say("a", f"第{n}天\n早上", at=day)
        line = {"id": "a", "title": "第0天 早上", "messages": n + 1, "first": days[0], "last": day}
        assert life.catalogue.list() == [line]
        if n in (1, 3):
            life.ingest()
            assert life.catalogue.list() == [line]
    assert len(life.views.view().segments) == 2
    life.mark("a", "rename", "早上好")
    assert life.catalogue.list() == [line | {"title": "早上好"}]


def test_a_list_reads_each_segment_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second list decodes no message of a segment, though something was said in between."""
    read: list[int] = []
    said = Segment.said

    def counting(self: Segment, m: int) -> object:
        read.append(m)
        return said(self, m)

    life = three(tmp_path)
    life.build()
    monkeypatch.setattr(Segment, "said", counting)
    life.catalogue.list()
    assert len(read) == 8
    life.say("noon", "又一句")
    life.catalogue.list()
    assert len(read) == 8


def test_a_conversation_is_read_with_its_branches(tmp_path: Path) -> None:
    """Every message with its parent, those off the path marked, system messages too."""
    life = Life(tmp_path)
    life.add("a", Entry("s", 0, role="system", text="设定"))
    life.say("a", "问", "旧答", parent="s")
    life.say("a", "新答", parent="a-1", at="2026-03-01T08:00:00+08:00")
    life.mark("a", "rename", "标题")
    read = life.catalogue.read("a")
    assert (read["id"], read["title"]) == ("a", "标题")
    assert [(m["n"], m["text"], m["parent"], m["on_path"]) for m in read["messages"]] == [
        (0, "设定", None, True),
        (1, "问", "s", True),
        (2, "旧答", "a-1", False),
        (3, "新答", "a-1", True),
    ]
    assert read["messages"][3] == {
        "id": "a-3",
        "n": 3,
        "parent": "a-1",
        "role": "assistant",
        "speaker": "小草",
        "at": "2026-03-01T08:00:00+08:00",
        "text": "新答",
        "on_path": True,
        "status": "complete",
        "images": [],
    }


def test_without_a_title_the_first_words_stand_for_it(tmp_path: Path) -> None:
    """The list and the whole conversation have the same title, and nobody's words are those of a system message."""
    life = Life(tmp_path)
    life.add("a", Entry("s", 0, role="system", text="设定"))
    life.say("a", "你好啊")
    assert life.catalogue.read("a")["title"] == life.catalogue.list()[0]["title"] == "你好啊"


def test_ours_and_the_original_id_are_accepted(tmp_path: Path) -> None:
    """Either reads the conversation; an id that could never be ours may be the original one."""
    life = Life(tmp_path)
    original = "Chat #7 / 早"
    ours = conversation_id(original)
    life.say(ours, "你好")
    for name in (ours, original):
        assert life.catalogue.read(name)["id"] == ours
        assert life.catalogue.resolve(name) == ours
    for name, error in (("nobody", ConversationMissing), ("../x", BadId), ("", BadId), ("\ud800", BadId)):
        with pytest.raises(error):
            life.catalogue.read(name)
        with pytest.raises(error):
            life.catalogue.resolve(name)


def test_two_hits_are_refused_and_shown(tmp_path: Path) -> None:
    """A name that is an id of ours and the original one of another is refused, with both."""
    life = Life(tmp_path)
    life.say("a", "我们的")
    life.say(conversation_id("a"), "带来的")
    for ask in (life.catalogue.read, life.catalogue.resolve):
        with pytest.raises(Ambiguous, match=f"a is both a and {conversation_id('a')}"):
            ask("a")
    assert life.catalogue.read(conversation_id("a"))["messages"][0]["text"] == "带来的"


def test_what_the_index_has_not_met_is_read(tmp_path: Path) -> None:
    """A conversation behind two hundred newer entries is read from the archive, though it is not listed yet."""
    life = Life(tmp_path)
    life.say("a", "很早")
    life.add("b", *(Entry(f"b{n}", n, role="user", text="后来") for n in range(300)))
    assert ids(life) == ["b"]
    assert life.catalogue.read("a")["messages"][0]["text"] == "很早"
    life.ingest()
    assert sorted(ids(life)) == ["a", "b"]
