"""A process loads each segment once, and lets go of those no longer named."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paramecium.errors import Damaged
from paramecium.index.manifest import SegmentName
from paramecium.index.segment_cache import SegmentCache
from paramecium.index.segment_write import store_segment
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.index.fakes_life import said, saids_of, written

SAIDS = [said("c1", n, f"第{n}句。") for n in range(3)]


def _two_segments(store: RamStore) -> tuple[SegmentName, SegmentName]:
    return store_segment(store, "main", "a", written(SAIDS[:2])), store_segment(store, "main", "b", written(SAIDS[2:]))


def test_a_segment_is_loaded_once(tmp_path: Path) -> None:
    """Asked for again, also by many threads at once, it is the one already there: two fetches in all."""
    inner = RamStore()
    first, second = _two_segments(inner)
    store = WatchedStore(inner)
    cache = SegmentCache(store, tmp_path)
    with ThreadPoolExecutor(8) as pool:
        loaded = set(pool.map(cache.open, [first] * 40))
    assert len(loaded) == 1
    assert store.calls == [("fetch", first.vectors.key), ("fetch", first.words.key)]
    assert saids_of(cache.open(second)) == SAIDS[2:]
    assert len(store.calls) == 4


def test_what_is_no_longer_named_is_let_go(tmp_path: Path) -> None:
    """The download is removed, a reader in the middle of it reads on, and asking again fetches again."""
    inner = RamStore()
    first, second = _two_segments(inner)
    store = WatchedStore(inner)
    cache = SegmentCache(store, tmp_path)
    reading, kept = cache.open(first), cache.open(second)
    assert len(list(tmp_path.iterdir())) == 4
    cache.keep([second])
    assert len(list(tmp_path.iterdir())) == 2
    assert saids_of(reading) == SAIDS[:2]
    assert cache.open(second) is kept
    assert cache.open(first) is not reading
    assert len(store.calls) == 6


def test_damage_is_not_kept(tmp_path: Path) -> None:
    """A segment that failed is tried anew the next time, and served as soon as it is sound."""
    store = RamStore()
    first, _ = _two_segments(store)
    path = store.fetch(first.vectors.key, tmp_path)
    path.write_bytes(b"torn")
    cache = SegmentCache(store, tmp_path)
    with pytest.raises(Damaged, match=first.vectors.key):
        cache.open(first)
    assert saids_of(cache.open(first)) == SAIDS[:2]
