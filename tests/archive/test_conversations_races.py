"""The archive among other writers and sudden deaths: every entry once, numbers without a gap, no arrival lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier

import pytest

from paramecium.archive.conversations import Archive
from paramecium.errors import AlreadyExists
from paramecium.messages import Entry
from paramecium.store.ram import RamStore
from tests.archive.fakes_unsure import UnsureStore
from tests.archive.test_conversations import said
from tests.fakes import FixedClock, Killed, WatchedStore

LONG_AGO = datetime(2026, 6, 1, tzinfo=UTC)
# Two of these do not fit one block, so the three of them are three.
DRAFTS = [Entry(f"m-{i}", 0, role="user", text=f"{i}豆包" + "喵" * 200_000) for i in range(3)]


def check(store: RamStore) -> None:
    """Asserts that the drafts stand once, in order and without a gap, and that each block has its arrival."""
    archive = Archive(store, "main", now=FixedClock())
    entries = archive.read("c-1")
    assert [e.n for e in entries] == list(range(len(entries)))
    assert [e.id for e in entries if e.id.startswith("m-")] == [d.id for d in DRAFTS]
    blocks = {int(k.rpartition("/")[2][:8]) for k in store.list("main/archive/conversations/c-1/")}
    assert {a.n for a in archive.arrivals(LONG_AGO) if a.conversation == "c-1"} == blocks


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("die_at", range(1, 7))
@pytest.mark.parametrize("others", [0, 1])
def test_an_append_that_died_may_be_repeated(die_at: int, after: bool, others: int) -> None:
    """A death at any store call, before or after its effect, loses and doubles nothing once the append is repeated."""
    store = RamStore()
    if others:
        Archive(store, "main", now=FixedClock()).append("c-1", said("别人的话", prefix="k"), 0)
    with pytest.raises(Killed):
        Archive(WatchedStore(store, die_at=die_at, after=after), "main", now=FixedClock()).append("c-1", DRAFTS, 0)
    stored = Archive(store, "main", now=FixedClock()).append("c-1", DRAFTS, 0)
    assert [e.text for e in stored] == [d.text for d in DRAFTS]
    check(store)


def test_the_deaths_above_reach_every_call() -> None:
    """An append of three blocks is six store calls, so six deaths are all there are."""
    store = WatchedStore(RamStore())
    Archive(store, "main", now=FixedClock()).append("c-1", DRAFTS, 0)
    assert [name for name, _ in store.calls] == ["create"] * 6


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("unsure", [range(1, 2), range(2, 3), range(3, 5), range(1, 3)])
def test_a_write_without_an_answer_is_found_or_made_again(unsure: range, done: bool) -> None:
    """Whether unanswered writes happened or not, the entries stand once, each block with its arrival."""
    store = RamStore()
    Archive(UnsureStore(store, unsure=unsure, done=done), "main", now=FixedClock()).append("c-1", DRAFTS, 0)
    check(store)


def test_entries_of_others_are_gone_around() -> None:
    """Whoever comes second stands behind the first, and is told the numbers he really got."""
    archive = Archive(RamStore(), "main")
    archive.append("c-1", said("一", "二", prefix="k"), 0)
    stored = archive.append("c-1", said("三", "四"), 0)
    assert [(e.n, e.text) for e in stored] == [(2, "三"), (3, "四")]


def test_writers_at_once_lose_nothing() -> None:
    """Eight threads that append to one tail: every entry once, each writer's own in order, numbers without a gap."""
    archive = Archive(RamStore(), "main")
    barrier = Barrier(8)

    def write(writer: int) -> list[tuple[Entry, ...]]:
        barrier.wait()
        return [archive.append("c-1", said("一", "二", prefix=f"w{writer}-{i}"), 0) for i in range(10)]

    with ThreadPoolExecutor(8) as pool:
        told = [e for mine in pool.map(write, range(8)) for stored in mine for e in stored]
    entries = archive.read("c-1")
    assert [e.n for e in entries] == list(range(160))
    assert len({e.id for e in entries}) == 160
    assert sorted(told, key=lambda e: e.n) == list(entries)
    for writer in range(8):
        mine = [e.id for e in entries if e.id.startswith(f"w{writer}-")]
        assert mine == [f"w{writer}-{i}-{k}" for i in range(10) for k in range(2)]


def test_the_same_append_by_many_at_once_is_one() -> None:
    """Four threads that store the same drafts store them once."""
    store = RamStore()
    barrier = Barrier(4)

    def write(_: int) -> tuple[Entry, ...]:
        barrier.wait()
        return Archive(store, "main", now=FixedClock()).append("c-1", DRAFTS, 0)

    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(write, range(4)))
    assert all(stored == told[0] for stored in told)
    check(store)


class _AlwaysFirst(RamStore):
    """Is a store in which somebody else takes every number first."""

    def create(self, key: str, body: bytes) -> str:
        """Refuses."""
        raise AlreadyExists(f"{key} exists")


def test_a_race_that_is_always_lost_ends() -> None:
    """After fifty lost races an append gives up and says so."""
    store = WatchedStore(_AlwaysFirst())
    with pytest.raises(AlreadyExists):
        Archive(store, "main").append("c-1", said("猫"), 0)
    assert [name for name, _ in store.calls].count("create") == 50


class _LateListing(RamStore):
    """Is a store whose first listing does not show a block yet that a later one stands behind."""

    def __init__(self) -> None:
        super().__init__()
        self.listings = 0

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Lists, the first time without the block 1."""
        self.listings += 1
        for key in super().list(prefix, after):
            if self.listings > 1 or not key.endswith("00000001.json"):
                yield key


def test_a_listing_that_raced_is_looked_at_again() -> None:
    """A gap that a second listing does not show is no damage."""
    store = _LateListing()
    archive = Archive(store, "main")
    for i in range(3):
        archive.append("c-1", said("猫", prefix=f"k{i}"), i)
    assert [e.n for e in archive.read("c-1")] == [0, 1, 2]
    assert store.listings == 2
