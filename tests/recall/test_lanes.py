"""Each lane alone: what it brings up, what it leaves out, and what stays away."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from paramecium.memories.view import MemoryView
from paramecium.recall.eligible import Eligible
from paramecium.recall.lanes import context, edges, resembling, this_day
from paramecium.recall.menu import Occasion
from tests.fakes import HashEmbedder
from tests.recall.fakes_memories import Kept, memory_view

NOW = datetime(2026, 6, 12, 12, tzinfo=UTC)
TEA = Kept("tea", "林夏以后奶茶只喝乌龙轻乳茶", "2026-05-01")
CAT = Kept("cat", "黑猫砚台体重五公斤九", "2026-04-01")
SEA = Kept("sea", "想在海边的灯塔旁住一年", "2026-03-01")
ALL = (TEA, CAT, SEA)


def ids(view: MemoryView, found: dict[int, float]) -> list[str]:
    """Returns what was found, best first."""
    return [view.memories[p].note.id for p in sorted(found, key=lambda p: -found[p])]


def message(kept: Sequence[Kept], text: str, floor: float = 0.3, **more: Any) -> list[str]:
    """Returns what the lane `message` finds."""
    model = HashEmbedder()
    view = memory_view(kept, model)
    eligible = Eligible(view, Occasion(text, NOW, **more))
    return ids(view, resembling(view, eligible, text, model.query(text), floor))


def test_a_message_brings_up_what_it_resembles() -> None:
    """The nearest stands first, and what lies below the floor stays away."""
    assert message(ALL, "奶茶还是只喝乌龙轻乳茶吗") == ["tea"]
    assert message(ALL, "量子力学是什么", floor=0.5) == []
    assert len(message(ALL, "奶茶还是只喝乌龙轻乳茶吗", floor=-1.0)) == 3


def test_without_a_vector_rare_words_bring_it_up_alone() -> None:
    """Without a model several shared rare words are enough, and one is not."""
    view = memory_view(ALL, HashEmbedder())
    for text, found in (("乌龙轻乳茶", ["tea"]), ("去看灯塔", []), ("茶", []), ("", [])):
        eligible = Eligible(view, Occasion(text, NOW))
        assert ids(view, resembling(view, eligible, text, None, 0.3)) == found


@pytest.mark.parametrize(
    "kept",
    [
        TEA._replace(live=False),
        TEA._replace(date="2026-06-13"),
        TEA._replace(valid_from="2026-06-13"),
    ],
)
def test_what_does_not_hold_stays_away(kept: Kept) -> None:
    """Neither what is superseded or off the path, nor what lies in the future, nor what holds only later."""
    assert message([TEA._replace(valid_from="2026-06-12")], "乌龙轻乳茶") == ["tea"]
    assert message([kept], "乌龙轻乳茶") == []


def test_what_is_known_or_seen_stays_away() -> None:
    """Known ids, quotes that stand before the model, and the notes of a message of this very conversation."""
    ask = "奶茶还是只喝乌龙轻乳茶吗"
    end = len(TEA.content[:20])
    assert message(ALL, ask, known=frozenset({"tea"})) == []
    assert message(ALL, ask, seen={("talk", "m-tea"): ((0, end),)}) == []
    assert message(ALL, ask, seen={("talk", "m-tea"): ((0, 2), (1, end - 1))}) == ["tea"]
    assert message(ALL, ask, seen={("talk", "m-tea"): ((0, 2),)}, conversation="talk") == []
    assert message(ALL, ask, seen={("talk", "m-cat"): ((0, end),)}, conversation="talk") == ["tea"]


def test_a_moment_like_now_brings_up_what_was_opened_then() -> None:
    """Each memory of the moment, and none of a moment that now does not resemble, nor for a word or two."""
    rain = "外面下着大雨睡不着"
    model = HashEmbedder()
    view = memory_view(ALL, model, moments=[(rain, (2, 0)), ("今天发了工资很开心", (1,))])
    eligible = Eligible(view, Occasion("", NOW))

    def found(text: str, floor: float = 0.5) -> set[str]:
        return set(ids(view, context(view, eligible, text, model.query(text), floor)))

    assert found(rain) == {"sea", "tea"}
    assert found("外面又下着大雨睡不着觉") == {"sea", "tea"}
    assert found("砚台喜欢扫描仪") == set()
    assert found("下雨", floor=-1.0) == set()
    assert found("下雨睡不着", floor=-1.0) == {"sea", "tea", "cat"}
    assert context(view, eligible, rain, None, 0.5) == {}


def test_edges_lead_to_what_was_recalled_alongside_twice() -> None:
    """A neighbour of one time stays away; of two sources the counts add up."""
    view = memory_view(ALL, HashEmbedder(), edges={0: ((1, 2), (2, 1)), 2: ((1, 3),)})
    eligible = Eligible(view, Occasion("", NOW))
    assert edges(view, eligible, [0]) == {1: 2.0}
    assert edges(view, eligible, [0, 2, 0]) == {1: 5.0}
    assert edges(view, Eligible(view, Occasion("", NOW, known=frozenset({"cat"}))), [0]) == {}


def test_behaviour_leads_to_the_memory_that_holds_now() -> None:
    """What was recalled and is superseded since brings up its successor, by a moment and by an edge."""
    old = Kept("old", "林夏以前爱喝珍珠奶茶", "2026-02-01", live=False, superseded_by="tea")
    model = HashEmbedder()
    rain = "外面下着大雨睡不着"
    view = memory_view((*ALL, old), model, moments=[(rain, (3,))], edges={1: ((3, 2),), 0: ((3, 2),)})
    eligible = Eligible(view, Occasion("", NOW))
    assert ids(view, context(view, eligible, rain, model.query(rain), 0.5)) == ["tea"]
    assert edges(view, eligible, [1]) == {0: 2.0}
    assert edges(view, eligible, [0]) == {}


def this_days(kept: Sequence[Kept], today: str, **more: Any) -> list[str]:
    """Returns what the lane `this_day` finds."""
    view = memory_view(kept, HashEmbedder())
    day = date.fromisoformat(today)
    eligible = Eligible(view, Occasion("", datetime(day.year, day.month, day.day, tzinfo=UTC), **more))
    return ids(view, this_day(view, eligible, day))


def test_days_that_nobody_mentions_come_up() -> None:
    """An anniversary, a lunar birthday, a counted day, and New Year's Eve in a month of 29 days."""
    move = Kept("move", "搬进了新家", "2024-06-12")
    mother = Kept("mother", "妈妈农历八月初三过生日", "2026-02-01")
    exam = Kept("exam", "一百天后考试", "2026-06-12")
    eve = Kept("eve", "外婆说除夕要吃鱼", "2025-05-05")
    kept = (move, mother, exam, eve)
    assert this_days(kept, "2026-06-12") == ["move"]
    assert this_days(kept, "2026-09-13") == ["mother"]
    assert this_days(kept, "2026-09-20") == ["exam"]
    assert this_days(kept, "2026-02-16") == ["eve"]
    assert this_days(kept, "2026-06-13") == []


def test_what_is_named_goes_before_what_happened() -> None:
    """A note that names the day stands before one of the same day in another year, and may lie in the future."""
    happened = Kept("happened", "在海边散步", "2025-06-12")
    named = Kept("named", "6月12日是和好的日子", "2024-03-01")
    planned = Kept("planned", "说好 6月12日一起看海", "2026-12-31")
    assert this_days((happened, named, planned), "2026-06-12") == ["named", "planned", "happened"]


def test_a_note_of_today_is_no_anniversary() -> None:
    """Nor is one of the future, one that is known, one superseded, one without a date."""
    today = Kept("today", "今天6月12日搬家", "2026-06-12")
    kept = (today, today._replace(id="later", content="搬家", date="2027-06-12"), Kept("none", "搬家"))
    assert this_days(kept, "2026-06-12") == []
    past = today._replace(date="2025-06-12")
    assert this_days([past], "2026-06-12") == ["today"]
    assert this_days([past], "2026-06-12", known=frozenset({"today"})) == []
    assert this_days([past._replace(live=False)], "2026-06-12") == []


@pytest.mark.parametrize("text", ["", "\ud83d", "\0\u2028", "茶" * 5000, "🐈‍⬛" * 100])
def test_any_message_is_looked_at(text: str) -> None:
    """A view without memories, and strange texts, give an answer too."""
    model = HashEmbedder()
    for kept in ((), ALL):
        view = memory_view(kept, model)
        eligible = Eligible(view, Occasion(text, NOW))
        assert resembling(view, eligible, text, model.query(text), 2.0) == {}
        assert context(view, eligible, text, model.query(text), 0.5) == {}
        assert edges(view, eligible, []) == {}
