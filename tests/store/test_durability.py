"""In which order a write in a folder reaches the disk: the bytes, then the name, then the folder that holds it."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paramecium.errors import AlreadyExists
from paramecium.store.local import LocalStore


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records what is flushed and named: "bytes" with their number, "folder" with its inode, and each naming."""
    recorded: list[str] = []
    fsync = os.fsync

    def flushed(fd: int) -> None:
        state = os.fstat(fd)
        recorded.append(f"folder {state.st_ino}" if stat.S_ISDIR(state.st_mode) else f"{state.st_size} bytes")
        fsync(fd)

    def named(call: Callable[[Path, Path], object], word: str) -> Callable[[Path, Path], object]:
        def record(path: Path, other: Path) -> object:
            recorded.append(word)
            return call(path, other)

        return record

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "hardlink_to", named(Path.hardlink_to, "link"))
    monkeypatch.setattr(Path, "replace", named(Path.replace, "rename"))
    return recorded


def inode(folder: Path) -> str:
    """Returns how a flushed folder is recorded."""
    return f"folder {folder.stat().st_ino}"


def test_bytes_are_on_the_disk_before_their_name(tmp_path: Path, steps: list[str]) -> None:
    """Create and replace flush the body, give it its name, and flush the folder; a removal flushes the folder."""
    store = LocalStore(tmp_path)
    store.create("main/first", b"")
    steps.clear()
    version = store.create("main/a", b"1234567")
    assert steps == ["7 bytes", "link", inode(tmp_path / "main")]
    store.delete("main/first")
    steps.clear()
    store.replace("main/a", b"123", version)
    assert [step for step in steps if step != inode(tmp_path)] == ["3 bytes", "rename", inode(tmp_path / "main")]
    store.create("main/b", b"")
    steps.clear()
    store.delete("main/b")
    assert inode(tmp_path / "main") in steps


def test_new_folders_are_flushed_into_those_above(tmp_path: Path, steps: list[str]) -> None:
    """A folder made for a key is on the disk before the key's name is given."""
    LocalStore(tmp_path).create("main/archive/a", b"12345")
    before, after = steps[: steps.index("link")], steps[steps.index("link") :]
    assert {inode(tmp_path), inode(tmp_path / "main")} <= set(before)
    assert after == ["link", inode(tmp_path / "main" / "archive")]


def test_what_is_found_standing_lasts(tmp_path: Path, steps: list[str]) -> None:
    """A refused create has flushed the folder, so whoever takes what stands for its own write can rely on it."""
    store = LocalStore(tmp_path)
    store.create("main/a", b"1")
    steps.clear()
    with pytest.raises(AlreadyExists):
        store.create("main/a", b"1")
    assert steps[-1] == inode(tmp_path / "main")


def test_folders_come_and_go_under_many_threads(tmp_path: Path) -> None:
    """Eight threads that create and remove the only objects of one folder never trip over its removal."""

    def come_and_go(worker: int) -> int:
        store = LocalStore(tmp_path)
        for n in range(60):
            store.create(f"papers/main/stops/{worker}", str(n).encode())
            assert store.get(f"papers/main/stops/{worker}").body == str(n).encode()
            store.delete(f"papers/main/stops/{worker}")
        return n

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(come_and_go, range(8))) == [59] * 8
    assert list(LocalStore(tmp_path).list("")) == []
    assert not (tmp_path / "papers").exists()
