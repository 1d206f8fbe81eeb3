"""What waits to be ingested is told, and a clock that was wrong hides nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paramecium.index.manifest import Coverage, Manifest
from paramecium.messages import Entry
from paramecium.recall.fresh import FRESH_ENTRIES_MAX, FreshReader, since
from paramecium.recall.tool import Recall
from paramecium.store import keys
from tests.recall.lives import Life

NOW = datetime(2026, 6, 12, 8, tzinfo=UTC)


def _block(name: str, count: int) -> list[Entry]:
    return [Entry(f"{name}-{n}", n, role="user", text=f"{name}里第{n}句") for n in range(count)]


@pytest.mark.parametrize(
    ("sizes", "waiting"), [((10, 20), 0), ((200,), 0), ((1, 200), 1), ((201,), 1), ((9, 9, 199), 2)]
)
def test_blocks_that_are_too_many_are_counted(tmp_path: Path, sizes: tuple[int, ...], waiting: int) -> None:
    """A block of which a part is left out waits, too; nothing waits once all is ingested."""
    life = Life(tmp_path)
    for i, size in enumerate(sizes):
        life.add(f"c{i}", *_block(f"c{i}", size))
    assert len(life.views.view().fresh.saids) == min(sum(sizes), FRESH_ENTRIES_MAX)
    for exactly in (True, False):
        found = life.find("第", exact=exactly)
        assert found.waiting == waiting
        assert found.to_json().get("waiting", 0) == waiting
        assert ("waiting" in found.to_json()) is (waiting > 0)
    life.ingest()
    assert life.find("第").waiting == 0


def test_the_model_is_told_what_waits(tmp_path: Path) -> None:
    """In both languages, whether something was found or not."""
    life = Life(tmp_path)
    for name in ("a", "b", "c"):
        life.add(name, *_block(name, 150))
    for query in ("第", "没有这句"):
        asked = {"query": query, "exact": True}
        assert life.recall.answer(asked).text.startswith("(还有 2 块新内容等待收录,暂时查不到)\n")
        english = Recall(life.finder, "en").answer(asked).text
        assert english.startswith("(2 new blocks wait to be ingested and are not searched yet)\n")
    life.ingest()
    assert "等待收录" not in life.recall.answer({"query": "第"}).text


def _handled(moment: datetime) -> Manifest:
    return Manifest(coverage=Coverage({}, keys.arrival("main", moment, "a", 0)))


def test_arrivals_are_listed_from_an_hour_before() -> None:
    """Before the last one handled, or before now when that one lies ahead; from the beginning when there is none."""
    assert since(_handled(NOW - timedelta(days=3)), NOW) == NOW - timedelta(days=3, hours=1)
    assert since(_handled(NOW + timedelta(days=400)), NOW) == NOW - timedelta(hours=1)
    assert since(Manifest(), NOW).year == 1970


def test_what_is_said_after_a_clock_was_put_right_is_found(tmp_path: Path) -> None:
    """An ingest under a clock a year ahead hides nothing that is said later under the right one."""
    life = Life(tmp_path)
    right = life.clock.moment
    life.clock.moment = right + timedelta(days=365)
    life.say("a", "喝茶吗")
    life.ingest()
    life.clock.moment = right
    life.say("a", "拨回来以后的话")
    assert [s.text for s in FreshReader(life.archive, "main", life.clock).read(life.views.view().manifest).saids] == [
        "拨回来以后的话"
    ]
    life.ingest()
    assert life.texts("拨回来以后的话", exact=True)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-06-12T10:00:00+08:00", "2026-06-12"),
        ("20260612T100000+0800", "2026-06-12"),
        ("2026-W24-5T10:00:00Z", "2026-06-12"),
        ("not a date", ""),
        ("", ""),
    ],
)
def test_a_window_has_the_day_the_index_knows(tmp_path: Path, at: str, day: str) -> None:
    """However a moment is written, the window shows its day as YYYY-MM-DD, or none."""
    life = Life(tmp_path)
    life.say("a", "喝茶吗", at=at)
    for _ in range(2):
        assert [w.date for w in life.find("喝茶", exact=True).windows] == [day]
        life.ingest()
