"""What has just been said is found before any ingest, once, and read once."""

from pathlib import Path

import pytest

from paramecium.errors import StoreUnavailable
from paramecium.messages import Entry
from paramecium.recall.fresh import FRESH_ENTRIES_MAX
from paramecium.store import keys
from paramecium.store.base import Blob
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.recall.lives import Life


def test_what_was_just_said_is_found(tmp_path: Path) -> None:
    """Before any ingest, and after one, new words are found by words and exactly, and by half a word."""
    life = Life(tmp_path)
    for text in ("我把设备清单放在抽屉里了", "海边的房子租到九月"):
        life.say("a", text)
        word = text[2:4]
        assert life.texts(word)[0].endswith(text)
        assert life.texts(word, exact=True)[0].endswith(text)
        life.ingest()


def test_nothing_is_doubled(tmp_path: Path) -> None:
    """An entry that was fresh and is just ingested is seen once, and one that was ingested while a view stands too."""
    life = Life(tmp_path)
    life.say("a", "设备清单", "好的")
    before = life.views.view()
    life.ingest()
    after = life.views.view()
    assert [s.n for s in before.fresh.saids] == [0, 1]
    assert after.fresh.saids == ()
    for view in (before, after):
        assert sum(len(young.places) for young in view.young) == 2
    assert len(life.find("设备清单", exact=True).windows) == 1
    assert len(life.find("设备清单").windows) == 1


def test_a_block_announced_twice_counts_once(tmp_path: Path) -> None:
    """A second arrival of the same block brings nothing new."""
    life = Life(tmp_path)
    life.say("a", "设备清单")
    life.archive.announce("a", 0)
    assert len(life.views.view().fresh.saids) == 1


def test_the_newest_two_hundred_are_kept(tmp_path: Path) -> None:
    """Of more than two hundred entries the newest are found, of a long block its last ones."""
    life = Life(tmp_path)
    life.say("old", "最早的一句")
    block = [Entry(f"b-{n}", n, role="user", text=f"第{n}句") for n in range(300)]
    life.add("b", *block)
    life.say("new", *(f"新的{n}" for n in range(50)))
    saids = life.views.view().fresh.saids
    assert len(saids) == FRESH_ENTRIES_MAX
    assert [s.text for s in saids] == [*(f"第{n}句" for n in range(150, 300)), *(f"新的{n}" for n in range(50))]


def test_each_block_is_read_once(tmp_path: Path) -> None:
    """A warm process reads only the blocks that are new."""
    watched = WatchedStore(RamStore())
    life = Life(tmp_path, watched)
    life.say("a", *(f"第{n}句" for n in range(40)))
    life.views.view()
    watched.calls.clear()
    life.say("a", "又一句")
    watched.calls.clear()
    life.views.view()
    assert [call for call in watched.calls if call[0] == "get"] == [
        ("get", keys.manifest("main")),
        ("get", keys.block("main", "a", 40)),
    ]


def test_marks_are_fresh_too(tmp_path: Path) -> None:
    """A title given just now is the title of what is found."""
    life = Life(tmp_path)
    life.say("a", "设备清单")
    life.ingest()
    life.mark("a", "rename", "家里的东西")
    assert life.find("设备清单").windows[0].title == "家里的东西"


def test_a_block_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """What is damaged is not found, the rest is, and it is not read again as long as nothing new arrives."""
    store = RamStore()
    watched = WatchedStore(store)
    life = Life(tmp_path, watched)
    life.say("a", "设备清单")
    life.say("b", "设备坏了")
    assert len(life.find("设备").windows) == 2
    blob = store.get(keys.block("main", "a", 0))
    store.replace(keys.block("main", "a", 0), b"[", blob.version)
    life.forget_caches()
    assert life.texts("设备") == ["设备坏了"]
    watched.calls.clear()
    assert life.texts("设备") == ["设备坏了"]
    assert [name for name, _ in watched.calls] == ["get", "list"]


class Away(RamStore):
    """Is a store whose blocks cannot be reached for a while."""

    away = False

    def get(self, key: str) -> Blob:
        if self.away and "/conversations/" in key:
            raise StoreUnavailable("the store is away")
        return super().get(key)


def test_a_store_that_is_away_is_no_block_that_cannot_be_read(tmp_path: Path) -> None:
    """While the store is away recall says so; when it is back, everything is found."""
    store = Away()
    life = Life(tmp_path, store)
    life.say("a", "设备清单")
    store.away = True
    with pytest.raises(StoreUnavailable):
        life.find("设备")
    store.away = False
    assert life.texts("设备") == ["设备清单"]
