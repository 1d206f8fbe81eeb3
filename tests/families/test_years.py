"""Years to come: nothing is made or read by what a name happens to begin with (the first system failed in 2027)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paramecium import clock
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import says
from tests.families.house import Door

pytestmark = pytest.mark.anyio
MOMENTS = (
    datetime(2027, 2, 10, 15, 59, 59, 999000, tzinfo=UTC),
    datetime(2027, 2, 11, tzinfo=UTC),
    datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    datetime(2100, 2, 28, 23, 59, 59, 999000, tzinfo=UTC),
    datetime(9999, 12, 30, tzinfo=UTC),
)


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda m: f"{m:%Y-%m-%d}")
async def test_what_is_said_then_is_kept_ingested_and_found(moment: datetime, tmp_path: Path) -> None:
    """A turn before midnight and one after it stand, arrive, are ingested, and are found by words and day."""
    door = Door(RamStore(), tmp_path)
    door.clock.moment = moment - timedelta(days=1)
    door.upstream.enqueue(says("在"), says("一直在"))
    conv = (await door.chat(message="昨天的话"))[0][1]["conversation"]
    life = door.parts.of("main")
    life.ingest()
    door.clock.moment = moment
    await door.chat(message="今天的话", conversation=conv)
    life.ingest()
    report = life.verify()
    assert (report.entries, report.waiting, report.problems) == (4, 4, ())
    life.build_fulltext()
    assert life.verify().waiting == 0
    day = clock.local_iso(moment, "Asia/Shanghai")[:10]
    windows = door.parts.search("main", {"query": "今天的话", "exact": True, "after": day, "before": day})["windows"]
    assert any("今天的话" in w["text"] and w["date"] <= day for w in windows)
    assert door.parts.search("main", {"query": "昨天的话", "exact": True, "after": day})["windows"] == []
    ids = [e.id[:10] for e in door.entries(conv)]
    assert ids == sorted(ids)
    assert clock.id_moment(ids[-1]) == moment.replace(microsecond=moment.microsecond // 1000 * 1000)
