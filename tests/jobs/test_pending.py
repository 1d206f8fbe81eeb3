"""What is pending: whole blocks, by arrivals or by listing, and how far that settles the arrivals."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from paramecium.archive.conversations import Archive
from paramecium.index.manifest import Coverage, Manifest
from paramecium.jobs import ingest, pending
from paramecium.jobs.indexer import Batch
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock
from tests.jobs.lives import Life, manifest_of, messages, objects, small_life


def taken(found: pending.Pending) -> list[tuple[str, int, int]]:
    """Returns place and end of each block."""
    return [(b.conversation, b.begin, b.end) for b in found.blocks]


def test_arrivals_name_what_is_new(tmp_path: Path) -> None:
    """Of a covered conversation only the blocks behind the coverage are read, and the last arrival is settled."""
    life = small_life(RamStore(), tmp_path)
    whole = pending.by_arrivals(life.archive, Manifest(), life.now())
    assert sum(b.end - b.begin for b in whole.blocks) == 35
    covered = Manifest(coverage=Coverage({b.conversation: b.end for b in whole.blocks} | {"shishi": 2}))
    found = pending.by_arrivals(life.archive, covered, life.now())
    assert taken(found) == [("shishi", 2, 3), ("shishi", 3, 4)]
    assert found.arrivals == whole.arrivals == max(a.key for a in life.archive.arrivals(life.now()))


def test_an_empty_archive_has_nothing_pending() -> None:
    """Neither way finds anything, and nothing is settled."""
    archive = Archive(RamStore(), "main")
    for found in (pending.by_arrivals(archive, Manifest(), FixedClock()()), pending.by_listing(archive, Manifest())):
        assert found == pending.Pending((), "", more=False, unreadable=())
        assert list(pending.batches(found, 500)) == []


def _passages(batches: Sequence[Batch]) -> list[int]:
    return [len(batch.saids) for batch in batches]


def test_batches_end_where_blocks_end_and_the_last_settles_the_arrivals(tmp_path: Path) -> None:
    """A batch is closed by the block that fills it, and only the last names the arrival."""
    life = Life(RamStore(), tmp_path)
    life.say("shishi", *[Entry(f"m{i}", 0, role="user", text=f"第{i}句") for i in range(7)])
    found = pending.by_arrivals(life.archive, Manifest(), life.now())
    batches = list(pending.batches(found, 3))
    assert _passages(batches) == [3, 3, 1]
    assert [b.arrivals for b in batches] == ["", "", found.arrivals]
    assert [(b.begins["shishi"], b.ends["shishi"]) for b in batches] == [(0, 3), (3, 6), (6, 7)]


def test_a_large_archive_is_read_in_several_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than so many entries are held at once; the arrivals are settled by the last round alone."""
    monkeypatch.setattr(pending, "ENTRIES_AT_ONCE", 5)
    life = small_life(RamStore(), tmp_path)
    first = pending.by_arrivals(life.archive, Manifest(), life.now())
    assert (first.more, first.arrivals) == (True, "")
    assert {b.conversation for b in first.blocks} < {"maobao", "banjia", "mianshi", "shishi"}
    assert life.ingest().messages == 31
    assert manifest_of(life.store).coverage.arrivals == max(keys_of_arrivals(life))
    assert life.verify().problems == ()


def keys_of_arrivals(life: Life) -> list[str]:
    """Returns the keys of all arrivals."""
    return list(life.store.list(keys.arrivals("main")))


@pytest.mark.parametrize("behind", [timedelta(0), timedelta(minutes=30), timedelta(minutes=59, seconds=59)])
def test_workers_whose_clocks_differ_lose_nothing(tmp_path: Path, behind: timedelta) -> None:
    """A block whose arrival is dated up to an hour before the last one handled is taken in by the next run."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    late = Archive(life.store, "main", now=FixedClock(life.now.moment - behind))
    late.append("late", messages("late", 2), 0)
    assert life.ingest().messages == 2
    assert life.verify().problems == ()


def test_a_clock_far_ahead_hides_nobody(tmp_path: Path) -> None:
    """What a worker of the year 2099 writes comes in, and so does what others write after it."""
    life = small_life(RamStore(), tmp_path)
    ahead = Archive(life.store, "main", now=FixedClock(life.now.moment + timedelta(days=26_000)))
    ahead.append("ahead", messages("ahead", 2), 0)
    assert life.ingest().messages == 33
    life.now.forward(hours=2)
    life.say("shishi", Entry("late", 0, role="user", text="还有一句"))
    assert life.ingest().messages == 1
    assert life.ingest().messages == 0


def test_the_cursor_never_passes_over_unread_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever run stopped wherever: each arrival before the cursor is of a block that is covered."""
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 4)
    monkeypatch.setattr(pending, "ENTRIES_AT_ONCE", 7)
    life = small_life(RamStore(), tmp_path)
    for round_ in range(6):
        life.now.forward(minutes=20)
        life.say("maobao", Entry(f"r{round_}", 0, role="user", text=f"第{round_}轮"))
        life.ingest()
        coverage = manifest_of(life.store).coverage
        passed = [keys.read_arrival(key) for key in keys_of_arrivals(life) if key <= coverage.arrivals]
        assert passed
        assert [a.key for a in passed if a.n >= coverage.conversations.get(a.conversation, 0)] == []


def test_a_lost_arrival_is_found_by_the_listing_alone(tmp_path: Path) -> None:
    """Without its arrival a block is not pending by arrivals, and is by the listing."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    before = set(objects(life.store))
    life.say("maobao", Entry("lost", 0, role="user", text="丢了的一句"))
    lost = [key for key in set(objects(life.store)) - before if "arrivals" in key]
    assert taken(pending.by_arrivals(life.archive, manifest_of(life.store), life.now())) == [("maobao", 11, 12)]
    for key in lost:
        life.store.delete(key)
    assert taken(pending.by_arrivals(life.archive, manifest_of(life.store), life.now())) == []
    assert taken(pending.by_listing(life.archive, manifest_of(life.store))) == [("maobao", 11, 12)]
