"""How objects of every size become files: in few calls, whole, of one version, and once."""

import errno
import os
import threading
from pathlib import Path

import pytest

from paramecium import clock
from paramecium.errors import KeyMissing, StoreUnavailable
from paramecium.store import download
from paramecium.store.download import Part
from paramecium.store.s3 import TRIES_MAX, S3Store
from tests.store.fakes_s3 import BUCKET, ScriptedS3, answer, etag

KEY = "derived/main/index/segments/01jx.vectors"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes parts of 10 bytes, and no pauses."""
    monkeypatch.setattr(download, "PART_BYTES", 10)
    monkeypatch.setattr(clock, "wait", lambda _: None)


def over(body: bytes) -> tuple[ScriptedS3, S3Store]:
    """Returns a client with one object, and a store over it."""
    client = ScriptedS3()
    client.objects[KEY] = body
    return client, S3Store(BUCKET, client=client)


@pytest.mark.parametrize(
    ("size", "calls"), [(0, 1), (1, 1), (9, 1), (10, 1), (11, 2), (20, 2), (21, 3), (199, 20), (1000, 100)]
)
def test_a_file_is_whole_at_every_size(tmp_path: Path, size: int, calls: int) -> None:
    """Each size comes back byte for byte in as few calls as it has parts, and nothing else is left in the folder."""
    body = bytes(i % 251 for i in range(size))
    client, store = over(body)
    path = store.fetch(KEY, tmp_path / "cache")
    assert path.read_bytes() == body
    assert len(client.calls) == calls
    assert list((tmp_path / "cache").iterdir()) == [path]


def test_parts_are_of_the_first_ones_version(tmp_path: Path) -> None:
    """Every part after the first names the version the first one had."""
    client, store = over(b"0123456789" * 5)
    store.fetch(KEY, tmp_path)
    assert client.calls[0].get("IfMatch") is None
    assert {call["IfMatch"] for call in client.calls[1:]} == {etag(b"0123456789" * 5)}


def test_two_versions_are_never_mixed(tmp_path: Path) -> None:
    """An object that is replaced between two parts gives an error and no file; the next fetch gives the new one."""
    client, store = over(b"old" * 20)

    def replaced() -> None:
        client.objects[KEY] = b"new" * 20

    client.scripts["get"] = [lambda: None, replaced]
    with pytest.raises(StoreUnavailable, match=KEY):
        store.fetch(KEY, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert store.fetch(KEY, tmp_path).read_bytes() == b"new" * 20


def test_what_is_there_costs_no_call(tmp_path: Path) -> None:
    """A second fetch, by a new store too, asks nothing; keys and buckets do not share a file."""
    client, store = over(b"body")
    client.objects[f"{KEY}2"] = b"other"
    path = store.fetch(KEY, tmp_path)
    client.calls.clear()
    assert store.fetch(KEY, tmp_path) == S3Store(BUCKET, client=client).fetch(KEY, tmp_path) == path
    assert client.calls == []
    assert store.fetch(f"{KEY}2", tmp_path).read_bytes() == b"other"
    with pytest.raises(AssertionError):
        S3Store("another", client=client).fetch(KEY, tmp_path)


def test_a_part_is_tried_again(tmp_path: Path) -> None:
    """A lost part is read again; one that stays away leaves no file."""
    client, store = over(b"0123456789" * 3)
    client.scripts["get"] = [answer(503, "SlowDown"), lambda: None, answer(500, "InternalError")]
    assert store.fetch(KEY, tmp_path / "a").read_bytes() == b"0123456789" * 3
    client.scripts["get"] = [lambda: None] + [answer(500, "InternalError")] * (3 * TRIES_MAX)
    with pytest.raises(StoreUnavailable, match=KEY):
        store.fetch(KEY, tmp_path / "b")
    assert list((tmp_path / "b").iterdir()) == []


def test_what_is_missing_leaves_no_file(tmp_path: Path) -> None:
    """A missing object is said, and not remembered."""
    client, store = over(b"")
    del client.objects[KEY]
    with pytest.raises(KeyMissing, match=KEY):
        store.fetch(KEY, tmp_path)
    client.objects[KEY] = b"now"
    assert store.fetch(KEY, tmp_path).read_bytes() == b"now"


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk while downloading is StoreUnavailable with the key, and leaves nothing."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    _, store = over(b"0123456789" * 3)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnavailable, match=f"{KEY}.*disk is full"):
        store.fetch(KEY, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("short", [Part(b"012345678", 10, "v"), Part(b"0123456789", 15, "v")])
def test_a_part_cut_short_is_no_file(tmp_path: Path, short: Part) -> None:
    """Fewer bytes than the object has are never taken for it, in the first part and in later ones."""
    with pytest.raises(StoreUnavailable, match="came"):
        download.download(KEY, tmp_path / "file", lambda *_: short)
    assert list(tmp_path.iterdir()) == []


def test_parts_are_read_side_by_side(tmp_path: Path) -> None:
    """Eight parts are on their way at once: each waits until all eight were asked for."""
    together = threading.Barrier(download.THREADS_MAX)

    def read(first: int, last: int, _: str) -> Part:
        if first:
            together.wait(timeout=30)
        return Part(b"x" * (last + 1 - first), 90, "v")

    download.download(KEY, tmp_path / "file", read)
    assert (tmp_path / "file").read_bytes() == b"x" * 90
