"""Every place of a message that holds the query can be come to, not its first one only."""

from pathlib import Path

import pytest

from paramecium.index.fold import find_all, fold
from paramecium.messages import Entry
from paramecium.recall import exact
from paramecium.recall.limits import Limits
from paramecium.recall.windows import WINDOW_CHARS_MAX
from tests.recall.lives import Life

FAR = "说来话长，慢慢讲。" * 120
LONG = f"那天去喝茶。{FAR}后来又喝茶。{FAR}再后来ＴＥＡ和喝茶都有。"


@pytest.mark.parametrize("n", [1, 2, 50])
@pytest.mark.parametrize("built", [False, True])
def test_far_places_of_one_message_each_get_a_window(tmp_path: Path, n: int, built: bool) -> None:
    """In their order, over as many pages as it takes, and none of them twice."""
    life = Life(tmp_path)
    life.say("a", LONG, "不相干")
    if built:
        life.build()
    shown: list[tuple[int, int]] = []
    cursor: str | None = None
    for _ in range(4):
        found = life.find("喝茶", exact=True, n=n, cursor=cursor)
        shown += [(p.start, p.end) for w in found.windows for p in w.pieces if p.said.n == 0]
        cursor = found.next
        if cursor is None:
            break
    assert len(shown) == 3
    for at, (start, end) in zip(find_all(fold(LONG), "喝茶", 9), shown, strict=True):
        assert start <= at < end


def test_near_places_share_a_window(tmp_path: Path) -> None:
    """Places that one window shows get no window of their own, and no page that shows nothing new."""
    life = Life(tmp_path)
    life.say("a", "喝茶，喝茶，还是喝茶。" * 9)
    found = life.find("喝茶", exact=True, n=1)
    assert len(found.windows) == 1
    assert found.next is None


def test_a_message_full_of_the_query_has_few_windows(tmp_path: Path) -> None:
    """Ten thousand places are shown by windows that do not overlap."""
    life = Life(tmp_path)
    life.say("a", "茶。" * 5000)
    found = life.find("茶", exact=True, n=50)
    spans = [(p.start, p.end) for w in found.windows for p in w.pieces]
    assert 10_000 // WINDOW_CHARS_MAX <= len(spans) <= 50
    assert len(spans) == len(set(spans))


def test_the_first_place_comes_first_and_each_has_its_cursor(tmp_path: Path) -> None:
    """From the message's beginning to its end, letter for letter or not; a cursor begins with its match."""
    life = Life(tmp_path)
    life.add("a", Entry("a-0", 0, role="user", text="ＴＥＡ tea Tea ㎏ tea"), Entry("a-1", 1, role="user", text="TEA"))
    view = life.views.view()
    whole = list(exact.find(view, "tea", Limits()))
    assert [(m.place[1], m.start) for m in whole] == [(0, 0), (0, 4), (0, 8), (0, 14), (1, 0)]
    for at, match in enumerate(whole):
        assert list(exact.find(view, "tea", Limits(), match.cursor)) == whole[at:]
