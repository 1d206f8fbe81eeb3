"""The ledger: numbers without a gap, events that stand once, and what is told of those that cannot be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paramecium.errors import AlreadyExists, Damaged, OutcomeUnknown
from paramecium.memories import ledger as ledger_module
from paramecium.memories.events import Event, Pinned
from paramecium.memories.ledger import Ledger, is_hole
from paramecium.memories.state import State, fold
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.archive.fakes_unsure import UnsureStore
from tests.fakes import Killed, WatchedStore
from tests.memories.event_lists import events_of
from tests.seaweed import Seaweed
from tests.store.racer import open_store

EVENTS = events_of(*(Pinned(f"m-{i}") for i in range(5)))


@pytest.fixture(params=["ram", "local", "seaweed"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """Gives an empty store in memory, in a folder, in a bucket of a real server."""
    if request.param != "seaweed":
        return RamStore() if request.param == "ram" else LocalStore(tmp_path)
    server: Seaweed = request.getfixturevalue("seaweed")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return open_store(f"s3://{server.new_bucket()}")


def numbers(store: ObjectStore) -> list[int | None]:
    """Returns the numbers of all that stands in the ledger."""
    return [keys.event_number(key) for key in store.list(keys.events("main"))]


def test_events_are_read_as_they_were_appended(store: ObjectStore) -> None:
    """In order, from any number on, by another who knows nothing yet; the number behind the last is returned."""
    ledger = Ledger(store, "main")
    assert ledger.read() == ()
    assert ledger.append([]) == 0
    assert ledger.append(EVENTS[:2]) == 2
    assert Ledger(store, "main").append(EVENTS[2:]) == 5
    assert ledger.read() == tuple(EVENTS)
    assert [ledger.read(n) for n in (3, 5, 9)] == [tuple(EVENTS[3:]), (), ()]
    assert numbers(store) == [0, 1, 2, 3, 4]
    assert Ledger(store, "other").read() == ()


def test_one_who_knows_an_old_tail_goes_on_behind_the_newest(store: ObjectStore) -> None:
    """However many others wrote since."""
    early, late = Ledger(store, "main"), Ledger(store, "main")
    early.append(EVENTS[:1])
    others = events_of(*(Pinned(f"n-{i}") for i in range(40)))
    late.append(others)
    assert early.append(EVENTS[1:2]) == 42
    assert numbers(store) == list(range(42))


def test_a_reading_from_beyond_the_end_leaves_no_gap() -> None:
    """Who asks for numbers that do not stand yet does not write there."""
    store = RamStore()
    ledger = Ledger(store, "main")
    assert ledger.read(9) == ()
    ledger.append(EVENTS[:2])
    assert Ledger(store, "main").read(9) == ledger.read(9) == ()
    other = Ledger(store, "main")
    other.read(9)
    assert (other.append(EVENTS[2:3]), ledger.append(EVENTS[3:4])) == (3, 4)
    assert numbers(store) == [0, 1, 2, 3]


def test_calls_of_reading_and_appending(tmp_path: Path) -> None:
    """A read is one LIST and a GET an event, an append one create once the tail is known, behind one LIST else."""
    store = LocalStore(tmp_path)
    Ledger(store, "main").append(EVENTS)
    watched = WatchedStore(store)
    ledger = Ledger(watched, "main")
    ledger.read(2)
    ledger.append(EVENTS[:1])
    assert [name for name, _ in watched.calls] == ["list", "get", "get", "get", "create"]
    watched.calls.clear()
    Ledger(watched, "main").append(EVENTS[:1])
    assert [name for name, _ in watched.calls] == ["list", "create"]


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_any_store_call_nothing_is_lost_or_doubled(after: bool) -> None:
    """Whoever is killed before or after a call and appends the same events again has each of them count once."""
    kills = 0
    for die_at in range(1, 30):
        store = RamStore()
        Ledger(store, "main").append(EVENTS[:1])
        try:
            Ledger(WatchedStore(store, die_at=die_at, after=after), "main").append(EVENTS[1:])
        except Killed:
            kills += 1
            standing = Ledger(store, "main").read()
            assert standing == tuple(EVENTS[: len(standing)])
            Ledger(store, "main").append(EVENTS[1:])
        assert numbers(store) == list(range(len(numbers(store))))
        found = Ledger(store, "main").read()
        assert set(found) == set(EVENTS)
        assert fold(State(), found).seen == {event.id for event in EVENTS}
    assert kills == 5  # one LIST and four creates


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("unsure", [range(1, 2), range(2, 5), range(1, 4)])
def test_an_unknown_outcome_is_cleared_up(unsure: range, done: bool) -> None:
    """Whether the write happened or not, the event stands once, where it belongs."""
    store = RamStore()
    assert Ledger(UnsureStore(store, unsure=unsure, done=done), "main").append(EVENTS) == 5
    assert Ledger(store, "main").read() == tuple(EVENTS)


def test_an_unknown_outcome_that_another_overtook_is_cleared_up() -> None:
    """The number went to somebody else meanwhile: the event stands behind it."""

    ram = RamStore()

    class Overtaken(UnsureStore):
        def create(self, key: str, body: bytes) -> str:
            try:
                return super().create(key, body)
            except OutcomeUnknown:
                Ledger(ram, "main").append(EVENTS[4:])
                raise

    Ledger(Overtaken(ram, unsure=range(1, 2), done=False), "main").append(EVENTS[:1])
    assert Ledger(ram, "main").read() == (EVENTS[4], EVENTS[0])


def test_tries_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that never says what it did is told in the end, and one where others are always faster too."""
    monkeypatch.setattr(ledger_module, "TRIES_MAX", 3)
    monkeypatch.setattr(ledger_module, "_PAUSE_S", 0)
    with pytest.raises(OutcomeUnknown):
        Ledger(UnsureStore(RamStore(), unsure=range(1, 10), done=False), "main").append(EVENTS[:1])

    class Taken(UnsureStore):
        def create(self, key: str, body: bytes) -> str:
            self.inner.create(key, b"somebody else's")
            return self.inner.create(key, body)

    with pytest.raises(AlreadyExists, match="3 writers in a row were faster"):
        Ledger(Taken(RamStore(), unsure=range(0), done=False), "main").append(EVENTS[:1])


class Jumping(RamStore):
    """Is a store whose first listing shows an event, and not yet the one before it."""

    hidden = keys.event("main", 1)

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Lists without the hidden one, once."""
        hidden, self.hidden = self.hidden, ""
        return (key for key in super().list(prefix, after) if key != hidden)


def test_a_listing_that_shows_the_next_before_an_event_loses_none() -> None:
    """What a listing passed over is read all the same."""
    store = Jumping()
    for n, event in enumerate(EVENTS[:3]):
        store.create(keys.event("main", n), _body(event))
    assert Ledger(store, "main").read() == tuple(EVENTS[:3])
    assert store.hidden == ""


def test_an_event_that_is_gone_is_told_by_its_key() -> None:
    """What comes behind it is not read as if nothing were missing, and no new event takes its place."""
    store = RamStore()
    Ledger(store, "main").append(EVENTS)
    store.delete(keys.event("main", 2))
    with pytest.raises(Damaged, match=r"main/memories/events/00000002.json: no event has this number"):
        Ledger(store, "main").read()
    assert Ledger(store, "main").read(3) == tuple(EVENTS[3:])
    assert Ledger(store, "main").append(EVENTS[:1]) == 6


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"v":1', b"\xff", b'{"v":2,"id":"e"}'])
def test_a_damaged_event_is_told_by_its_key(body: bytes) -> None:
    """One time, and those beside it are examined."""
    store = RamStore()
    Ledger(store, "main").append(EVENTS[:1])
    key = keys.event("main", 1)
    store.create(key, body)
    store.create(keys.event("main", 2), _body(EVENTS[2]))
    with pytest.raises(Damaged) as caught:
        Ledger(store, "main").read()
    assert str(caught.value).count(key) == 1
    assert str(caught.value).startswith(key)
    found = dict(Ledger(store, "main").examine())
    assert [found[keys.event("main", n)] for n in (0, 2)] == [EVENTS[0], EVENTS[2]]
    assert str(found[key]) == str(caught.value)
    told: list[str] = []
    readable = Ledger(store, "main").readable(0, told.append)
    assert (readable[0], is_hole(readable[1]), readable[2]) == (EVENTS[0], True, EVENTS[2])
    assert [str(caught.value) in sentence for sentence in told] == [True]


def test_what_is_no_event_s_name_is_passed_over_and_examined() -> None:
    """A stray object hinders nobody."""
    store = RamStore()
    Ledger(store, "main").append(EVENTS[:1])
    stray = f"{keys.events('main')}copy of 00000001.json"
    store.create(stray, b"x")
    assert Ledger(store, "main").read() == tuple(EVENTS[:1])
    assert {key: str(found) for key, found in Ledger(store, "main").examine() if isinstance(found, Damaged)} == {
        stray: f"{stray} is not the name of an event"
    }


def _body(event: Event) -> bytes:
    store = RamStore()
    Ledger(store, "main").append([event])
    return store.get(keys.event("main", 0)).body


def test_nothing_new_is_one_look() -> None:
    """Who knows the ledger up to its end asks for one number; what came since is read as ever."""
    watched = WatchedStore(RamStore())
    ledger = Ledger(watched, "main")
    ledger.append(EVENTS[:2])
    watched.calls.clear()
    assert ledger.since(2) == ()
    assert [name for name, _ in watched.calls] == ["get"]
    assert ledger.since(0) == tuple(EVENTS[:2])
