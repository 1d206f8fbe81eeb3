"""From lanes to one order: recency among equals, ranks added, validity, each thing once."""

import math
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal

import pytest

from paramecium.memories.view import MemoryView
from paramecium.recall.lane_fusion import MOST, WEIGHTS, fused, ranked, validity
from tests.fakes import HashEmbedder
from tests.recall.fakes_memories import Kept, memory_view

TODAY = date(2026, 6, 12)
WORDS = "砚台灯塔奶茶水彩外婆雨夜扫描地铁面试海边阳台花店银杏雪山台风"


def view_of(*ages: int) -> MemoryView:
    """Returns a view of memories so many days old, each of other words."""
    days = [str(TODAY - timedelta(days=age)) for age in ages]
    return memory_view([Kept(f"n{i}", WORDS[2 * i : 2 * i + 2], day) for i, day in enumerate(days)], HashEmbedder())


def test_sixty_days_do_not_turn_first_into_fifteenth() -> None:
    """A 60-day-old first stands before a fresh fifteenth, and before everything fresher that matters less."""
    view = view_of(60, *(1 for _ in range(13)), 0)
    relevance = {i: 1.4 - 0.06 * i for i in range(15)}
    assert MOST["message"] == 6
    order = ranked(view, relevance, "message")
    assert order == [0, 1, 2, 3, 4, 5]
    whole = fused(view, {"message": list(range(15))}, TODAY.toordinal())
    assert [c.position for c in whole] == list(range(15))


def test_near_equals_are_newest_first() -> None:
    """Within 3 % of the best the newest comes first; what is further off stays behind, however fresh."""
    view = view_of(60, 2, 30, 0)
    assert ranked(view, {0: 1.0, 1: 0.98, 2: 0.975, 3: 0.9}, "message") == [1, 2, 0, 3]
    assert ranked(view, {0: 1.0, 1: 0.96, 2: 0.94, 3: 0.5}, "message") == [0, 1, 2, 3]


@pytest.mark.parametrize(("lane", "most"), [("message", 6), ("this_day", 2), ("edges", 3)])
def test_a_lane_brings_a_few(lane: Literal["message", "this_day", "edges"], most: int) -> None:
    """Each lane has its bound; this day brings two."""
    view = view_of(*range(10))
    assert len(ranked(view, dict.fromkeys(range(10), 1.0), lane)) == most


def test_what_two_lanes_bring_stands_before_what_one_brings() -> None:
    """Ranks add up, and the lanes are told in one order."""
    view = view_of(1, 1, 1)
    order = fused(view, {"afterglow": [1, 2], "message": [0, 1]}, TODAY.toordinal())
    assert [(c.position, c.lanes) for c in order] == [
        (1, ("message", "afterglow")),
        (0, ("message",)),
        (2, ("afterglow",)),
    ]
    assert order[1].score == 1.0


def test_the_first_of_each_lane_stands_before_the_third_of_any() -> None:
    """No lane starves another."""
    view = view_of(*(1 for _ in range(8)))
    order = fused(view, {"message": [0, 1, 2, 3], "this_day": [4], "edges": [5], "context": [6]}, TODAY.toordinal())
    assert {c.position for c in order[:5]} == {0, 1, 4, 5, 6}
    assert next(iter(WEIGHTS)) == "message"


@pytest.mark.parametrize(("until", "factor"), [(0, 1.0), (1, math.exp(-0.1)), (10, math.exp(-1)), (1000, 0.05)])
def test_what_no_longer_holds_fades(until: int, factor: float) -> None:
    """Behind its last day a memory counts for e^(-0.1 a day), at least a twentieth; the last day belongs to it."""
    kept = [Kept("a", "猫", valid_until=str(TODAY - timedelta(days=until))), Kept("b", "海")]
    view = memory_view(kept, HashEmbedder())
    assert validity(view, 0, TODAY.toordinal()) == pytest.approx(factor)
    assert validity(view, 1, TODAY.toordinal()) == 1.0
    order: Sequence[int] = [c.position for c in fused(view, {"message": [0, 1]}, TODAY.toordinal())]
    assert order == ([0, 1] if factor == 1.0 else [1, 0])


def test_near_duplicates_are_told_once_by_the_newest() -> None:
    """The newest stands where the best of them stood; others keep their order."""
    kept = [
        Kept("old", "林夏以后奶茶只喝乌龙轻乳茶", "2026-01-01"),
        Kept("other", "黑猫砚台五公斤九", "2026-02-01"),
        Kept("new", "林夏以后奶茶只喝乌龙轻乳茶", "2026-05-01"),
    ]
    view = memory_view(kept, HashEmbedder())
    order = fused(view, {"message": [0, 1, 2]}, TODAY.toordinal())
    assert [(view.memories[c.position].note.id, c.score) for c in order] == [("new", 1.0), ("other", order[1].score)]
