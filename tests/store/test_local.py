"""What only a store in a folder can do wrong: half files, foreign files, full disks, folders, locks."""

import errno
import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paramecium.errors import BadId, KeyMissing, OutcomeUnknown, StoreUnavailable, VersionMismatch
from paramecium.store import files, local
from paramecium.store.local import LocalStore

KEY = "main/archive/conversations/01jx/00000000.json"


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    """Gives a store in an empty folder."""
    return LocalStore(tmp_path / "data")


def files_in(folder: Path) -> list[str]:
    """Returns the paths of all files of a folder, but for the locks."""
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return sorted(str(p) for p in found if p.parts[0] != ".locks")


def refuse(number: int) -> Callable[..., None]:
    """Returns a function that fails with an error of the disk."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_an_object_is_a_plain_file_of_its_owner(store: LocalStore) -> None:
    """An object stands at its key's path with its bytes, for nobody else to read; a fetch gives that very file."""
    version = store.create(KEY, "雨".encode())
    path = store.folder / KEY
    assert path.read_bytes() == "雨".encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert store.fetch(KEY, store.folder.parent / "cache") == path
    assert version == hashlib.sha256("雨".encode()).hexdigest()
    assert files_in(store.folder) == [KEY]


def test_a_key_is_no_folder_of_another(store: LocalStore) -> None:
    """A key below an object, or in a folder's place, is refused as no id, whatever is asked first."""
    store.create("main/a", b"1")
    store.create("main/b/c", b"2")
    for key in ("main/a/below", "main/a/far/below", "main/b", "main"):
        with pytest.raises(BadId, match=key):
            store.create(key, b"3")
        with pytest.raises(VersionMismatch, match=key):
            store.replace(key, b"3", "")
    assert files_in(store.folder) == ["main/a", "main/b/c"]


def test_what_is_no_object_is_not_listed(store: LocalStore) -> None:
    """Files of the system, of other programs and of other names are passed over; a link to a file is a file."""
    store.create("main/profile/a.md", b"1")
    place = store.folder / "main" / "profile"
    for name in (".DS_Store", "._a.md", "e\u0301.md", "a\\b", "tab\t", os.fsdecode(b"\xff")):
        (place / name).write_bytes(b"foreign")
    (place / "gone.md").symlink_to(place / "nowhere")
    (place / "b.md").symlink_to(place / "a.md")
    (place / "empty").mkdir()
    os.mkfifo(place / "pipe")
    assert list(store.list("")) == ["main/profile/a.md", "main/profile/b.md"]


def test_a_link_to_a_folder_is_not_walked(store: LocalStore) -> None:
    """A folder that holds itself by a link, and a link to itself, hold no more keys than without."""
    store.create("main/a", b"1")
    (store.folder / "main" / "loop").symlink_to(store.folder / "main")
    (store.folder / "main" / "self").symlink_to(store.folder / "main" / "self")
    assert list(store.list("")) == ["main/a"]


def test_a_list_reads_only_what_it_can_match(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """One day's arrivals cost one folder, the rest of all days those days, and a place behind all, none of them."""
    for day in range(1, 29):
        store.create(f"main/archive/arrivals/2026-06-{day:02d}/120000000-a-0", b"")
    read: list[str] = []
    scandir = os.scandir

    def counted(path: Path) -> object:
        read.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    assert len(list(store.list("main/archive/arrivals/2026-06-12/"))) == 1
    assert len(read) == 1
    read.clear()
    assert len(list(store.list("main/archive/arrivals/", "main/archive/arrivals/2026-06-26/"))) == 3
    assert len(read) == 4
    read.clear()
    assert list(store.list("main/archive/arrivals/2026-06-0", "main/archive/arrivals/2026-06-09/2")) == []
    assert len(read) == 2


def test_a_folder_left_empty_is_removed(store: LocalStore) -> None:
    """Removing the last object removes its folders, up to the first that holds something, never the store's own."""
    store.create("papers/main/errors/2026-06-12/a", b"")
    store.create("papers/main/b", b"")
    store.delete("papers/main/errors/2026-06-12/a")
    assert not (store.folder / "papers/main/errors").exists()
    store.delete("papers/main/b")
    assert store.folder.is_dir()
    assert not (store.folder / "papers").exists()


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "no permission"), (errno.EIO, "error")],
)
def test_a_disk_that_refuses_is_named(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    """A full, read-only or closed disk is StoreUnavailable with the key and what to do, and nothing half is left."""
    version = store.create(KEY, b"before")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse(number))
        with pytest.raises(StoreUnavailable, match=f"main/new: .*{advice}"):
            store.create("main/new", b"x")
        with pytest.raises(StoreUnavailable, match=f"{KEY}: .*{advice}"):
            store.replace(KEY, b"after", version)
    assert files_in(store.folder) == [KEY]
    assert store.get(KEY).body == b"before"


def test_reading_names_the_key_too(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is not missing."""
    store.create(KEY, b"1")
    monkeypatch.setattr(Path, "read_bytes", refuse(errno.EACCES))
    with pytest.raises(StoreUnavailable, match=KEY):
        store.get(KEY)


def test_a_file_cut_by_the_system_is_never_seen(store: LocalStore) -> None:
    """A write that the system cuts in its middle leaves no object and no temporary file."""
    store.create(KEY, b"before")
    script = (
        "import resource, sys; from pathlib import Path; from paramecium.store.local import LocalStore\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); store = LocalStore(Path(sys.argv[1]))\n"
        "calls = lambda: store.create('main/new', b'x' * 10**6), lambda: store.replace(sys.argv[2], b'x' * 10**6,"
        " store.get(sys.argv[2]).version)\n"
        "for call in calls:\n try: call()\n except Exception as error: print(type(error).__name__)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, str(store.folder), KEY]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True).stdout
    assert printed.split() == ["StoreUnavailable"] * 2
    assert files_in(store.folder) == [KEY]
    assert store.get(KEY).body == b"before"


def test_a_write_that_may_not_last_is_unknown(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the folder cannot be flushed after the name stands there, nobody knows whether the write lasts."""
    version = store.create(KEY, b"before")
    monkeypatch.setattr(local, "flush", refuse(errno.EIO))
    with pytest.raises(OutcomeUnknown, match="main/archive/new"):
        store.create("main/archive/new", b"1")
    with pytest.raises(OutcomeUnknown, match=KEY):
        store.replace(KEY, b"after", version)


def test_a_lock_that_is_never_released_is_said(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer waits only so long for a process that was stopped with the lock in its hand; then it goes on."""
    version = store.create(KEY, b"1")
    version = store.replace(KEY, b"2", version)
    (shard,) = (store.folder / ".locks").iterdir()
    monkeypatch.setattr(local, "LOCK_WAIT_S", 0.05)
    with shard.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StoreUnavailable, match=KEY):
            store.replace(KEY, b"3", version)
    assert store.get(KEY).body == b"2"
    store.replace(KEY, b"3", version)


def test_locks_are_few_and_stay(store: LocalStore) -> None:
    """There are at most 256 lock files, however many keys were replaced, and removing keys removes none."""
    for n in range(600):
        store.delete(f"derived/main/{n}")
    locks = sorted(p.name for p in (store.folder / ".locks").iterdir())
    assert 200 < len(locks) <= 256
    assert list(store.list("")) == []


def test_a_store_is_opened_without_writing(tmp_path: Path) -> None:
    """Opening and reading make no folder, so a backup that may only be read can be."""
    store = LocalStore(tmp_path / "data")
    assert list(store.list("")) == []
    with pytest.raises(KeyMissing):
        store.get(KEY)
    assert not store.folder.exists()


def test_a_folder_removed_while_writing_is_made_again(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A create whose folder another process removes meanwhile makes it again, but not for ever."""
    removals = 3
    make_folder = files.make_folder

    def made_and_removed(folder: Path) -> None:
        nonlocal removals
        make_folder(folder)
        if removals and folder.name == "01jx":
            removals -= 1
            folder.rmdir()

    monkeypatch.setattr(local, "make_folder", made_and_removed)
    store.create(KEY, b"1")
    assert store.get(KEY).body == b"1"
    store.delete(KEY)
    removals = 1000
    with pytest.raises(StoreUnavailable, match="removed"):
        store.create(KEY, b"1")
    assert files_in(store.folder) == []
