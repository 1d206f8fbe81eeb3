"""The nightly look at the paths costs what is new: a life of years is not read again every night."""

from datetime import timedelta
from pathlib import Path

import pytest

from paramecium.archive.conversations import Archive
from paramecium.jobs.remember import remember
from paramecium.memories.events import Added, Event
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.snapshot import read_pointer
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.lives import Life, messages, put
from tests.memories.lives import note

TALKS = 12


class Nights:
    """Is a life of talks, each with a memory of its last message, and the nights that look at it."""

    def __init__(self, folder: Path) -> None:
        self.life = Life(RamStore(), folder)
        for i in range(TALKS):
            self.life.say(f"c-{i}", *messages(f"c-{i}", 2))
            self.add(i, f"c-{i}", f"c-{i}-1")
        self.later()

    def add(self, i: int, conversation: str, message: str) -> None:
        """Adds a memory."""
        added = Added(note(i, conversation=conversation, message=message))
        Ledger(self.life.store, "main").append([Event(f"a-{i}", self.life.now().isoformat(), "test", added)])

    def later(self) -> None:
        """Lets three hours pass."""
        self.life.now.forward(hours=3)

    def keeper(self, store: ObjectStore | None = None) -> Keeper:
        """Returns what a fresh process keeps the snapshot with."""
        store = store or self.life.store
        ledger = Ledger(store, "main")
        return Keeper(store, "main", ledger, self.life.embedder, self.life.folder, now=self.life.now)

    def night(self) -> list[str]:
        """Returns the conversations that a night reads, in order."""
        self.later()
        watched = WatchedStore(self.life.store)
        remember(self.keeper(watched), Archive(watched, "main"), whole=True, all_paths=False)
        read = {key.split("/")[3] for name, key in watched.calls if "/archive/conversations/" in key}
        return sorted(read)

    def off_path(self) -> dict[str, tuple[str, ...]]:
        """Returns what is kept to be off the path."""
        return dict(read_pointer(self.life.store.get(keys.memory_snapshot("main")), "main").off_path)


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """Gives a life after its first night, which reads all."""
    nights = Nights(tmp_path)
    assert nights.night() == sorted(f"c-{i}" for i in range(TALKS))
    return nights


def test_only_what_was_touched_is_looked_at(nights: Nights) -> None:
    """Nothing new reads no talk; a branch, or a new memory of an old talk, reads that talk, and its path counts."""
    assert nights.night() == []
    nights.life.say("c-3", Entry("other", 0, parent="c-3-0", role="user", text="换个说法"))
    nights.life.say("no-memories", Entry("x", 0, role="user", text="别的"))
    assert nights.night() == ["c-3"]
    assert nights.off_path() == {"c-3": ("m-3",)}
    nights.later()
    nights.add(90, "c-5", "c-5-7")
    assert nights.night() == ["c-5"]
    assert nights.off_path() == {"c-3": ("m-3",), "c-5": ("m-90",)}
    assert nights.night() == []


def test_what_is_not_known_any_more_is_looked_at_anew(nights: Nights) -> None:
    """A damaged pointer, even one that another job has mended since, and a clock that was wrong: all is read."""
    for mended in (False, True):
        put(nights.life.store, keys.memory_snapshot("main"), b"{")
        if mended:
            keep_snapshot(nights.keeper())
        assert len(nights.night()) == TALKS
        assert nights.night() == []
    now = nights.life.now.moment
    nights.life.now.forward(days=9)
    nights.night()
    nights.life.now.moment = now + timedelta(days=1)
    assert len(nights.night()) == TALKS


def test_a_talk_that_cannot_be_read_is_looked_at_until_it_can(nights: Nights) -> None:
    """While a block is damaged the night before counts on, so that nothing that came meanwhile is passed over."""
    nights.life.say("c-4", Entry("other", 0, parent="c-4-0", role="user", text="换个说法"))
    key = keys.block("main", "c-4", 2)
    body = nights.life.store.get(key).body
    put(nights.life.store, key, b"{")
    assert nights.night() == nights.night() == ["c-4"]
    nights.life.now.forward(days=3)
    put(nights.life.store, key, body)
    assert nights.night() == ["c-4"]
    assert nights.off_path() == {"c-4": ("m-4",)}
    assert nights.night() == []
