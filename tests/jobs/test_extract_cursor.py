"""The cursor of the extract job: its limit, its positions, and several workers at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from paramecium.jobs.extract_cursor import CursorKeeper, Move, Stream
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock

TALK = Stream("maobao")


def keeper(store: RamStore, now: FixedClock, calls_per_day: int = 3) -> CursorKeeper:
    """Returns what a fresh worker has."""
    return CursorKeeper(store, "main", timezone="Asia/Shanghai", calls_per_day=calls_per_day, now=now)


@pytest.fixture
def now() -> FixedClock:
    """Gives a clock that stands at 23:30 in Shanghai."""
    return FixedClock(datetime(2026, 6, 12, 15, 30, tzinfo=UTC))


def test_the_limit_holds_for_all_workers_together_and_begins_anew_each_day(now: FixedClock) -> None:
    """Sixteen workers at once get as many calls as there are; what is given back is there again."""
    store = RamStore()
    with ThreadPoolExecutor(16) as pool:
        permits = list(pool.map(lambda _: keeper(store, now, 5).take_call(), range(16)))
    assert (permits.count("granted"), permits.count("limit")) == (5, 11)
    keeper(store, now, 5).give_back()
    assert keeper(store, now, 5).calls_left() == 1
    now.forward(minutes=31)
    assert keeper(store, now, 5).calls_left() == 5


def test_who_is_overtaken_is_told_and_takes_nothing_back(now: FixedClock) -> None:
    """A worker that knows an older position gets no call for it, and its move leaves the newer one."""
    store = RamStore()
    keeper(store, now).move([Move(TALK, 0, 30)])
    assert keeper(store, now).take_call(TALK, 0) == "moved"
    assert keeper(store, now).calls_left() == 3
    keeper(store, now).move([Move(TALK, 0, 20)])
    assert keeper(store, now).read().position(TALK) == 30
    assert keeper(store, now).take_call(TALK, 30) == "granted"
    keeper(store, now).move([Move(TALK, 30, 10)])
    assert keeper(store, now).read().position(TALK) == 10


def test_what_was_said_and_what_was_imported_have_positions_of_their_own(now: FixedClock) -> None:
    """Marking a conversation again keeps what was read of others; a move of one stream leaves the other."""
    store = RamStore()
    old = Stream("maobao", is_import=True)
    keeper(store, now).ask_for({"maobao": {"n": 0, "left": 9, "at": "2020-01-01"}})
    keeper(store, now).move([Move(TALK, 0, 40), Move(old, 0, 5, 4)])
    cursor = keeper(store, now).read()
    assert (cursor.position(TALK), cursor.position(old)) == (40, 5)
    assert cursor.asked["maobao"] == {"n": 5, "left": 4, "at": "2020-01-01"}


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xff", b"[]", b'{"calls": "x"}', b'{"asked": {"a": 5}}', b'{"arrivals": "../x"}',
        b'{"conversations": {"": "x"}}', b'{"unchecked": {}}',
        b'{"conversations": {"maobao": 1e999}}', b'{"unchecked": [{}]}', b'{"tries": {"maobao-0": []}}',
    ],
)  # fmt: skip
def test_a_damaged_cursor_starts_over(now: FixedClock, body: bytes) -> None:
    """Whatever stands in its place, it is read as an empty one and can be written."""
    store = RamStore()
    store.create(keys.cursor("main", "extract"), body)
    assert keeper(store, now).read().position(TALK) == 0
    keeper(store, now).move([Move(TALK, 0, 4)])
    assert keeper(store, now).read().position(TALK) == 4
