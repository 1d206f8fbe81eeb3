"""What every store promises, held for memory, folder and bucket alike."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paramecium.errors import AlreadyExists, BadId, KeyMissing, VersionMismatch
from paramecium.store.base import ObjectStore

KEY = "main/archive/conversations/01jx/00000042.json"
BODIES = {
    "empty": b"",
    "chinese": "今天下雨，我们去看了鲸鱼。\u2028\x85\r\n".encode(),
    "bytes": bytes(range(256)) * 3 + b"\r\n\0",
    "5 MB": b"".join(hashlib.sha256(i.to_bytes(4, "big")).digest() for i in range(5 * 2**20 // 32)),
}
ODD_KEYS = (
    "main/profile/我们的约定.md",
    "main/profile/é and ü.md",
    "main/profile/with space + plus % percent %20.md",
    "main/profile/#hash?query&amp;='quote'\"<x>;:@,$!*()[]{}|^`~.md",
    "main/profile/鲸鱼😀👩\u200d👩\u200d👧.md",
    "main/profile/\u2028line.md",
    "main/" + "长" * 85,
    "/".join(["x" * 224] * 4),
)
BAD_KEYS = (
    *(
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        ".a",
        "a/.b",
        "a/../b",
        "a/./b",
        "a\\b",
        "a\nb",
        "a\0b",
        "a\x85b",
        "\x7f",
    ),
    *("e\u0301", "main/\ud800", "x" * 256, "长" * 86, "/".join(["x" * 200] * 5)),
)


def test_what_was_created_is_read_back(store: ObjectStore) -> None:
    """A created object has the bytes it was given and the version create returned."""
    version = store.create(KEY, "雨".encode())
    assert store.get(KEY) == ("雨".encode(), version)


@pytest.mark.parametrize("name", BODIES)
def test_every_byte_comes_back(store: ObjectStore, name: str, tmp_path: Path) -> None:
    """Bodies of any bytes and size come back whole, by get, after a replacement and as a file."""
    body = BODIES[name]
    version = store.create("derived/main/a", body)
    assert store.get("derived/main/a").body == body
    store.create("derived/main/b", b"first")
    store.replace("derived/main/b", body, store.get("derived/main/b").version)
    assert store.get("derived/main/b").body == body
    assert store.fetch("derived/main/a", tmp_path / "cache").read_bytes() == body
    assert store.get_if_changed("derived/main/a", version) is None


@pytest.mark.parametrize("key", ODD_KEYS)
def test_odd_names_are_names_like_any_other(store: ObjectStore, key: str, tmp_path: Path) -> None:
    """A key with spaces, signs, Chinese, emoji or the greatest length is created, listed, replaced and removed."""
    version = store.create(key, b"1")
    assert list(store.list("")) == [key]
    assert list(store.list(key)) == [key]
    assert list(store.list("", after=key)) == []
    store.replace(key, b"2", version)
    assert store.get(key).body == store.fetch(key, tmp_path / "cache").read_bytes() == b"2"
    store.delete(key)
    assert list(store.list("")) == []


def test_what_stands_is_not_created_again(store: ObjectStore) -> None:
    """A second create is refused, with other bytes or the same, and changes nothing."""
    version = store.create(KEY, b"first")
    for body in (b"second", b"first", b""):
        with pytest.raises(AlreadyExists, match=KEY):
            store.create(KEY, body)
    assert store.get(KEY) == (b"first", version)


def test_replace_needs_the_present_version(store: ObjectStore) -> None:
    """A replacement that names the present version wins; one that names an earlier version changes nothing."""
    first = store.create(KEY, b"1")
    second = store.replace(KEY, b"2", first)
    assert second != first
    assert store.get(KEY) == (b"2", second)
    with pytest.raises(VersionMismatch, match=KEY):
        store.replace(KEY, b"3", first)
    assert store.get(KEY) == (b"2", second)


def test_what_is_gone_is_not_replaced(store: ObjectStore) -> None:
    """A replacement neither makes an object nor brings a removed one back."""
    version = store.create(KEY, b"1")
    with pytest.raises(VersionMismatch, match="main/other"):
        store.replace("main/other", b"2", version)
    store.delete(KEY)
    with pytest.raises(VersionMismatch, match=KEY):
        store.replace(KEY, b"2", version)
    assert list(store.list("")) == []


def test_nothing_comes_while_nothing_changed(store: ObjectStore) -> None:
    """A conditional read returns nothing for the version it names and the object for any other."""
    first = store.create(KEY, b"1")
    assert store.get_if_changed(KEY, first) is None
    second = store.replace(KEY, b"2", first)
    assert store.get_if_changed(KEY, first) == (b"2", second)
    assert store.get_if_changed(KEY, second) is None


def test_what_is_missing_is_said(store: ObjectStore, tmp_path: Path) -> None:
    """Every way of reading names the key that has no object, before it was made and after it was removed."""
    version = store.create(KEY, b"1")
    store.delete(KEY)
    reads: list[Callable[[str], object]] = [
        store.get,
        lambda key: store.get_if_changed(key, version),
        lambda key: store.fetch(key, tmp_path / "cache"),
    ]
    for read in reads:
        for key in (KEY, "main/archive", "main/never", f"{KEY}/below"):
            with pytest.raises(KeyMissing, match=key):
                read(key)


def test_delete_removes_one_and_may_be_repeated(store: ObjectStore) -> None:
    """Removing touches no other key, is no error for what is missing, and lets the key be created again."""
    for key in ("main/a/1", "main/a/10", "main/b"):
        store.create(key, key.encode())
    for key in ("main/a/1", "main/a/1", "main/never", "main", "main/b/below"):
        store.delete(key)
    assert list(store.list("")) == ["main/a/10", "main/b"]
    store.create("main/a/1", b"again")
    assert store.get("main/a/1").body == b"again"


def test_what_is_no_key_is_refused_everywhere(store: ObjectStore, tmp_path: Path) -> None:
    """Every call refuses a name that some store could not keep, and nothing is written."""
    calls: list[Callable[[str], object]] = [
        store.get,
        lambda key: store.get_if_changed(key, "v"),
        lambda key: store.create(key, b""),
        lambda key: store.replace(key, b"", "v"),
        store.delete,
        lambda key: store.fetch(key, tmp_path / "cache"),
    ]
    for key in BAD_KEYS:
        for call in calls:
            with pytest.raises(BadId):
                call(key)
    assert list(store.list("")) == []


def test_a_fetched_file_is_kept(store: ObjectStore, tmp_path: Path) -> None:
    """A second fetch returns the same file, and two keys never share one."""
    store.create("derived/main/a", b"a")
    store.create("derived/main/b", b"b")
    first = store.fetch("derived/main/a", tmp_path / "cache")
    assert store.fetch("derived/main/a", tmp_path / "cache") == first
    assert store.fetch("derived/main/b", tmp_path / "cache").read_bytes() == b"b"
    assert first.read_bytes() == b"a"


@pytest.mark.parametrize("store", ["ram", "local", "seaweed"], indirect=True)
def test_of_many_threads_one_creates(store: ObjectStore) -> None:
    """Of eight threads that create the same key one wins, for each of twenty keys, and its bytes stand.

    moto looks whether a key is there and then writes it, without a lock: under threads it is no judge.
    """

    def contend(writer: int) -> list[str]:
        won = []
        for n in range(20):
            try:
                store.create(f"main/contested/{n:02d}", str(writer).encode())
                won.append(f"{n:02d}:{writer}")
            except AlreadyExists:
                continue
        return won

    with ThreadPoolExecutor(8) as pool:
        winners = sorted(w for won in pool.map(contend, range(8)) for w in won)
    assert winners == [f"{k[-2:]}:{store.get(k).body.decode()}" for k in store.list("main/contested/")]
    assert len(winners) == 20
