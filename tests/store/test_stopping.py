"""The store that a job gets: it passes everything on until the job is asked to stop."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paramecium.errors import KeyMissing, Stopped
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import WatchedStore


def test_until_then_every_call_passes(tmp_path: Path) -> None:
    """Each call does what the store below does, and its errors come through."""
    store = StoppingStore(RamStore(), lambda: False)
    store.check()
    version = store.create("a/b", b"1")
    assert store.get("a/b").body == b"1"
    assert store.get_if_changed("a/b", version) is None
    assert store.replace("a/b", b"2", version) != version
    assert list(store.list("a/")) == ["a/b"]
    assert store.fetch("a/b", tmp_path).read_bytes() == b"2"
    store.delete("a/b")
    with pytest.raises(KeyMissing):
        store.get("a/b")


def test_then_every_call_is_refused_before_it_does_anything(tmp_path: Path) -> None:
    """No call reaches the store below, and check says it as well."""
    below = WatchedStore(RamStore())
    stopping = threading.Event()
    store = StoppingStore(below, stopping.is_set)
    stopping.set()
    calls: list[Callable[[], object]] = [
        store.check,
        lambda: store.get("a"),
        lambda: store.get_if_changed("a", "v"),
        lambda: store.create("a", b""),
        lambda: store.replace("a", b"", "v"),
        lambda: store.delete("a"),
        lambda: store.list("a"),
        lambda: store.fetch("a", tmp_path),
    ]
    for call in calls:
        with pytest.raises(Stopped, match="goes on at its next run"):
            call()
    assert below.calls == []


def test_a_long_list_ends_in_its_middle() -> None:
    """The key after the stop is not given out."""
    inner, stopping = RamStore(), threading.Event()
    for i in range(9):
        inner.create(f"k{i}", b"")
    keys = StoppingStore(inner, stopping.is_set).list("k")
    assert [next(keys) for _ in range(3)] == ["k0", "k1", "k2"]
    stopping.set()
    with pytest.raises(Stopped):
        next(keys)
