"""Five writers of one ledger at once: no event is lost or doubled, and everybody reads the same."""

import threading
from pathlib import Path

import pytest

from paramecium.memories.events import Event
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State, fold
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.memories.writer import EVENTS, WRITERS, in_processes, in_threads, whats_of
from tests.seaweed import Seaweed
from tests.store.racer import open_store

OVER_THE_WIRE = 500


def _whole(store: ObjectStore, count: int) -> tuple[Event, ...]:
    """Returns the events, once each of each writer was found, in its order, under numbers without a gap."""
    assert [keys.event_number(key) for key in store.list(keys.events("main"))] == list(range(count))
    events = Ledger(store, "main").read()
    assert len({event.id for event in events}) == len(events) == count
    for writer in range(WRITERS):
        own = [event.what for event in events if event.by == f"writer-{writer}"]
        assert own == whats_of(writer, count // WRITERS)
    return events


def _same_from_anywhere(store: ObjectStore, events: tuple[Event, ...]) -> None:
    whole = fold(State(), events)
    assert len(whole.memories) == len(events) // 4
    for start in (0, 1, len(events) // 3, len(events) - 1, len(events)):
        before = fold(State(), events[:start])
        assert fold(before, Ledger(store, "main").read(before.upto)) == whole


@pytest.mark.parametrize("kind", ["ram", "local"])
def test_five_threads_lose_nothing(kind: str, tmp_path: Path) -> None:
    """2,000 events by five threads stand once each, and fold to the same from any starting point."""
    store: ObjectStore = RamStore() if kind == "ram" else LocalStore(tmp_path)
    in_threads(store)
    _same_from_anywhere(store, _whole(store, EVENTS))


def test_five_processes_lose_nothing(tmp_path: Path) -> None:
    """2,000 events by five processes too."""
    in_processes(str(tmp_path))
    store = LocalStore(tmp_path)
    _same_from_anywhere(store, _whole(store, EVENTS))


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_five_writers_lose_nothing_in_a_bucket(seaweed: Seaweed, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a real S3 server 500 events are enough to lose some."""
    for name, value in seaweed.environment.items():
        monkeypatch.setenv(name, value)
    where = f"s3://{seaweed.new_bucket()}"
    store = open_store(where)
    if kind == "threads":
        in_threads(store, OVER_THE_WIRE)
    else:
        in_processes(where, OVER_THE_WIRE)
    _same_from_anywhere(store, _whole(store, OVER_THE_WIRE))


def test_one_who_reads_meanwhile_reads_a_beginning(tmp_path: Path) -> None:
    """Each of many readings while others write is the beginning of what is read in the end."""
    store = LocalStore(tmp_path)
    writing = threading.Thread(target=in_threads, args=(store, 500))
    writing.start()
    readings = []
    while writing.is_alive():
        readings.append(Ledger(store, "main").read())
    writing.join()
    whole = Ledger(store, "main").read()
    assert len({len(reading) for reading in readings}) > 2
    assert all(reading == whole[: len(reading)] for reading in readings)
