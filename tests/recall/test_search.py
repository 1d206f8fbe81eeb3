"""Recall from end to end: which windows are given, of which conversations, branches and days."""

from datetime import date
from pathlib import Path

import pytest

from paramecium.errors import BadInput, ConversationMissing
from paramecium.messages import Entry
from paramecium.recall.search import QUERY_CHARS_MAX, WINDOWS_MAX, WINDOWS_PER_CONVERSATION
from tests.recall.lives import Life, talkative

MIXTURES = ("fresh", "ingested", "full text")


def settled(life: Life, mixture: str) -> Life:
    """Brings what was said to where the mixture says."""
    {"fresh": lambda: None, "ingested": life.ingest, "full text": life.build}[mixture]()
    return life


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("用户身份已经确认", "用户身份"),
        ("设备清单(devices)里有一台 NAS", "设备"),
        ("设备清单(devices)里有一台 NAS", "设备清单"),
        ("设备清单(devices)里有一台 NAS", "devices"),
        ("设备清单(devices)里有一台 NAS", "nas"),
        ("我看完了《留守女士》这部剧", "留守女士"),
        ("我看完了《留守女士》这部剧", "《留守女士》"),
        ("他姓龘", "龘"),
        ("身份证", "身份"),
        ("電腦壞了", "电脑坏了"),
        ("买了３台ＮＡＳ", "3台nas"),
        ("去了café", "CAFÉ"),
        ("𠮷野家的饭", "𠮷野家"),
    ],
)
def test_words_of_any_length_are_found(tmp_path: Path, said: str, query: str, mixture: str, exactly: bool) -> None:
    """One, two, three or four characters, in brackets or beside Latin words, in the other script or width."""
    life = Life(tmp_path)
    life.say("a", "今天天气不错", said)
    life.say("b", "毫不相干")
    settled(life, mixture)
    assert any(said in text for text in life.texts(query, exact=exactly))


@pytest.mark.parametrize("mixture", MIXTURES)
def test_words_that_overlap_are_found(tmp_path: Path, mixture: str) -> None:
    """A long question meets a text that holds only a part of it; exactly it does not."""
    life = Life(tmp_path)
    life.say("a", "端到端测试明天做")
    life.say("b", "别的事")
    settled(life, mixture)
    assert life.texts("端到端测试结果", n=1) == ["端到端测试明天做"]
    assert life.texts("端到端测试", exact=True) == ["端到端测试明天做"]
    assert life.texts("端到端测试结果", exact=True) == []


def branched(tmp_path: Path, mixture: str = "ingested") -> Life:
    """Returns a life in which an answer was asked for again."""
    life = Life(tmp_path)
    life.say("a", "晚饭吃什么", "旧的回答：吃饺子", "饺子好")
    life.say("a", "新的回答：吃面条", parent="a-0")
    return settled(life, mixture)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_off_the_path_only_when_named_or_exact(tmp_path: Path, mixture: str) -> None:
    """A superseded branch is found exactly or in its conversation, marked, in the window of its own chain."""
    life = branched(tmp_path, mixture)
    assert [w.other_branch for w in life.find("面条").windows] == [False]
    assert "吃饺子" not in "".join(life.texts("饺子"))
    for limits in ({"exact": True}, {"conversation": "a", "n": 1}):
        (window,) = life.find("饺子", **limits).windows
        assert window.other_branch
        assert window.text == "晚饭吃什么旧的回答：吃饺子饺子好"
    assert "(另一分支)" in life.recall.answer({"query": "饺子", "exact": True}).text


def test_a_chosen_branch_is_the_path(tmp_path: Path) -> None:
    """After another leaf is chosen, the branch it ends is found and the other one is not."""
    life = branched(tmp_path)
    life.mark("a", "choose", "a-2")
    for _ in range(2):
        assert life.texts("饺子") == ["晚饭吃什么旧的回答：吃饺子饺子好"]
        assert "面条" not in "".join(life.texts("面条"))
        life.ingest()


def test_few_windows_a_conversation_unless_it_is_named(tmp_path: Path) -> None:
    """At most two of one conversation, as many as asked for when it is named."""
    life = Life(tmp_path)
    for conversation in "ab":
        life.say(conversation, *(text for n in range(6) for text in (f"第{n}次喝茶", "说别的。" * 170)))
    life.ingest()
    given = [w.conversation for w in life.find("喝茶", n=9).windows]
    assert {c: given.count(c) for c in given} == dict.fromkeys("ab", WINDOWS_PER_CONVERSATION)
    assert len(life.find("喝茶", n=5, conversation="a").windows) == 5


def test_the_asking_conversation_is_left_out(tmp_path: Path) -> None:
    """What stands before the asker's eyes is not given again, unless it asks for it by name."""
    life = Life(tmp_path)
    life.say("here", "喝茶")
    life.say("there", "又喝茶")
    for _ in range(2):
        for exactly in (False, True):
            assert len(life.find("喝茶", exact=exactly).windows) == 2
            assert life.texts("喝茶", exact=exactly, besides="here") == ["又喝茶"]
            assert life.texts("喝茶", exact=exactly, besides="here", conversation="here") == ["喝茶"]
        life.build()


def test_other_branches_of_the_asking_conversation_are_found_by_their_characters(tmp_path: Path) -> None:
    """What was said off the path does not stand before the asker: exact shows it, as another branch."""
    life = Life(tmp_path)
    life.say("here", "喝茶吗", "喝龙井茶")
    life.say("here", "喝红茶", parent="here-0")
    for _ in range(2):
        (window,) = life.find("茶", exact=True, besides="here").windows
        assert (window.other_branch, "龙井" in window.text) == (True, True)
        assert "另一分支" in life.recall.answer({"query": "龙井", "exact": True}, here="here").text
        assert life.texts("红茶", exact=True, besides="here") == []
        assert len(life.find("红茶", exact=True).windows) == 1
        life.build()


def test_what_is_only_summed_up_is_found(tmp_path: Path) -> None:
    """Of the asking conversation, what was said before the number from which it stands before the asker is found."""
    life = Life(tmp_path)
    life.say("here", "早先喝茶", "说别的。" * 170, "刚才喝茶")
    for _ in range(2):
        for exactly in (False, True):
            assert life.texts("喝茶", exact=exactly, besides="here") == []
            (text,) = life.texts("喝茶", exact=exactly, besides="here", besides_from=2)
            assert text.startswith("早先喝茶")
        assert "早先喝茶" in life.recall.answer({"query": "喝茶"}, here="here", here_from=2).text
        assert "喝茶" not in life.recall.answer({"query": "喝茶"}, here="here").text
        life.build()


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("exactly", [False, True])
def test_days_are_kept_to(tmp_path: Path, mixture: str, exactly: bool) -> None:
    """Both ends belong to a span, a day is that of the speaker's own clock, and what has no date is in no span."""
    life = Life(tmp_path)
    life.say("a", "喝茶一", at="2026-03-01T00:10:00+08:00")
    life.say("b", "喝茶二", at="2026-03-02T23:50:00-08:00")
    life.say("c", "喝茶三", at="")
    settled(life, mixture)

    def found(after: int | None, before: int | None) -> set[str]:
        days = [d and date(2026, 3, d) for d in (after, before)]
        return {w.conversation for w in life.find("喝茶", exact=exactly, after=days[0], before=days[1]).windows}

    assert found(None, None) == {"a", "b", "c"}
    assert found(1, None) == found(1, 2) == found(None, 2) == {"a", "b"}
    assert found(1, 1) == found(None, 1) == {"a"}
    assert found(2, 2) == found(2, None) == {"b"}
    assert found(3, None) == set()


def test_a_system_message_between_is_bridged(tmp_path: Path) -> None:
    """A window goes on over a message that nobody said."""
    life = Life(tmp_path)
    life.say("a", "早上好")
    life.add("a", Entry("s", 1, parent="a-0", role="system", text="机密指令"))
    life.say("a", "喝茶吗", parent="s")
    life.ingest()
    assert life.texts("喝茶") == ["早上好喝茶吗"]
    assert life.texts("机密指令", exact=True) == []


def test_a_title_given_later_is_shown(tmp_path: Path) -> None:
    """A window has the title given last, though the segment with the words is older."""
    life = Life(tmp_path)
    life.say("a", "喝茶")
    life.build()
    assert life.find("喝茶").windows[0].title == "喝茶"
    life.mark("a", "rename", "下午茶")
    life.ingest()
    assert life.find("喝茶").windows[0].title == "下午茶"


def test_the_form_every_door_prints(tmp_path: Path) -> None:
    """The JSON names conversation, title, date, score and branch, and of each piece the message and where it stands."""
    life = branched(tmp_path)
    found = life.find("饺子", exact=True).to_json()
    (window,) = found["windows"]
    assert found["memories"] == []
    assert "next" not in found
    assert {k: window[k] for k in ("conversation", "title", "date", "score", "other_branch")} == {
        "conversation": "a",
        "title": "晚饭吃什么",
        "date": "2026-01-01",
        "score": 1.0,
        "other_branch": True,
    }
    assert "".join(life.said[("a", p["n"])][p["start"] : p["end"]] for p in window["pieces"]) == window["text"]
    assert [p["message"] for p in window["pieces"]] == ["a-0", "a-1", "a-2"]
    assert {key for p in window["pieces"] for key in p} == {"message", "n", "start", "end"}


@pytest.mark.parametrize(
    ("text", "limits", "says"),
    [
        ("", {}, "the query is empty"),
        (" \n\u2028", {}, "the query is empty"),
        ("字" * (QUERY_CHARS_MAX + 1), {}, f"longer than {QUERY_CHARS_MAX}"),
        ("字", {"n": 0}, "n is 0"),
        ("字", {"n": WINDOWS_MAX + 1}, "from 1 to 50"),
        ("字", {"after": date(2026, 1, 2), "before": date(2026, 1, 1)}, "no day is after 2026-01-02"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path: Path, text: str, limits: dict[str, object], says: str) -> None:
    """Bad input is told what is wrong with it."""
    with pytest.raises(BadInput, match=says):
        Life(tmp_path).find(text, **limits)


@pytest.mark.parametrize("n", [1, WINDOWS_MAX])
def test_as_many_as_asked_for(tmp_path: Path, n: int) -> None:
    """From one window to fifty."""
    life = Life(tmp_path)
    talkative(life, 1, 180, 60)
    life.ingest()
    assert len(life.find("喝茶设备测试", n=n).windows) == n


def test_a_conversation_nobody_knows_is_missing(tmp_path: Path) -> None:
    """A query within a conversation that is not there is told so."""
    life = Life(tmp_path)
    life.say("a", "喝茶")
    assert life.texts("喝茶", conversation="a") == ["喝茶"]
    with pytest.raises(ConversationMissing, match="no conversation b"):
        life.find("喝茶", conversation="b")


def test_the_very_question_asked_before_is_given_once(tmp_path: Path) -> None:
    """Asked in three talks, it takes one place of the answer, and what answers it is still given."""
    life = Life(tmp_path)
    for name in ("x", "y", "z"):
        life.add(name, Entry(f"{name}-0", 0, role="user", text="我喝什么奶茶"))
    life.add("w", Entry("w-0", 0, role="user", text="奶茶我喝乌龙的"))
    assert len(life.find("我喝什么奶茶", exact=True).windows) == 3
    assert sorted(w.text for w in life.find("我喝什么奶茶", n=3).windows) == ["奶茶我喝乌龙的", "我喝什么奶茶"]
