"""A store in a folder: one file an object, at the path its key names.

Knows how a file system makes one whole file appear at once, for many processes and threads; knows nothing of what is
stored. Its own files start with a dot, which no key does: `.temp/` holds what is being written, `.locks/` one file
for each 256th of all keys, never removed, since a lock on a removed file holds nobody.
Invariant: under a key stands a whole object or none, and after a write returned it survives a loss of power.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paramecium import clock
from paramecium.errors import AlreadyExists, BadId, KeyMissing, OutcomeUnknown, StoreUnavailable, VersionMismatch
from paramecium.store.base import Blob, check_key, is_key
from paramecium.store.files import disk_errors_named, flush, make_folder, remove_leftovers, temporary, write_new
from paramecium.store.probe import check_folder, check_place

LOCK_WAIT_S = 30.0
_LOCK_PAUSE_S = 0.002
_FOLDER_TRIES_MAX = 20

_NOTHING_THERE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class LocalStore:
    """Keeps objects as files; a version is the SHA-256 of the body.

    Time of change and inode number both come back (a coarse clock, a freed inode), so neither can tell two versions
    apart; a hash fails only for equal bodies, which the generation in every replaced document rules out.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # One folder for all that is being written, so that what a killed process left is found without a walk.
        self._temp = folder / ".temp"
        self._locks = folder / ".locks"
        remove_leftovers(self._temp)

    def probe(self) -> None:
        """Returns if the folder can hold a store; raises StoreUnavailable saying what to do."""
        check_folder(self.folder)

    def check_place(self) -> None:
        """Returns if the folder lies where a store may; writes nothing. Raises StoreUnavailable."""
        check_place(self.folder)

    def get(self, key: str) -> Blob:
        """Returns the object; raises KeyMissing, StoreUnavailable."""
        path = self._path(key)
        with disk_errors_named(key):
            try:
                body = path.read_bytes()
            except _NOTHING_THERE as error:
                raise KeyMissing(f"no object {key}") from error
        return Blob(body, _version(body))

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Returns the object, or None while it still has `version`; raises KeyMissing, StoreUnavailable."""
        blob = self.get(key)
        return None if blob.version == version else blob

    def create(self, key: str, body: bytes) -> str:
        """Returns the version of the object made; raises AlreadyExists, OutcomeUnknown, StoreUnavailable."""
        path = self._path(key)
        with disk_errors_named(key), temporary(self._temp) as temp:
            write_new(temp, body)
            try:
                self._link(temp, path)
            except (FileExistsError, NotADirectoryError) as error:
                if path.is_dir() or any(place.is_file() for place in path.parents):
                    raise BadId(f"{key}: one key cannot be the folder of another") from error
                # Whoever takes what stands there for its own write relies on it, so it must last, too.
                _flush_folder(key, path.parent)
                raise AlreadyExists(f"{key} exists") from error
            _flush_folder(key, path.parent)
        return _version(body)

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Returns the new version; raises VersionMismatch, OutcomeUnknown, StoreUnavailable."""
        path = self._path(key)
        with disk_errors_named(key), self._locked(key):
            try:
                standing = _version(path.read_bytes())
            except _NOTHING_THERE:
                standing = ""
            if standing != expected_version or not standing:
                raise VersionMismatch(f"{key} is not the expected version")
            with temporary(self._temp) as temp:
                write_new(temp, body)
                temp.replace(path)
                _flush_folder(key, path.parent)
        return _version(body)

    def delete(self, key: str) -> None:
        """Removes the object and the folders it leaves empty; one that is not there is no error."""
        path = self._path(key)
        with disk_errors_named(key), self._locked(key):
            if path.is_file():
                path.unlink(missing_ok=True)
                _flush_folder(key, path.parent)
                self._remove_empty(path.parent)

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Yields the keys under `prefix` behind `after`, in order; reads no folder that cannot hold one."""
        place = prefix.rpartition("/")[0]
        if place and not is_key(place):
            return
        with disk_errors_named(prefix or "the store"):
            yield from self._walk(f"{place}/" if place else "", prefix, after)

    def fetch(self, key: str, folder: Path) -> Path:  # noqa: ARG002 - other stores need the folder
        """Returns the store's own file, to be mapped and never written; raises KeyMissing."""
        path = self._path(key)
        with disk_errors_named(key):
            if not path.is_file():
                raise KeyMissing(f"no object {key}")
        return path

    def _path(self, key: str) -> Path:
        return self.folder / check_key(key)

    def _walk(self, place: str, prefix: str, after: str) -> Iterator[str]:
        start, behind = prefix.encode("utf-8", "surrogatepass"), after.encode("utf-8", "surrogatepass")
        for path in _names(self.folder, place, after):
            name = path.encode()
            if not path.endswith("/"):
                if name.startswith(start) and name > behind:
                    yield path
            elif (name.startswith(start) or start.startswith(name)) and (name > behind or behind.startswith(name)):
                yield from self._walk(path, prefix, after)

    def _link(self, temp: Path, path: Path) -> None:
        for _ in range(_FOLDER_TRIES_MAX):
            # Another process may delete the last object of a folder, and the folder, just before this link.
            with suppress(FileNotFoundError):
                make_folder(path.parent)
                path.hardlink_to(temp)
                return
        raise StoreUnavailable(f"{path}: its folder was removed {_FOLDER_TRIES_MAX} times while writing")

    def _remove_empty(self, place: Path) -> None:
        while place != self.folder:
            try:
                place.rmdir()
            except OSError:
                return
            place = place.parent

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        make_folder(self._locks)
        shard = self._locks / hashlib.sha256(key.encode()).hexdigest()[:2]
        fd = os.open(shard, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(fd, key)
            yield
        finally:
            # A process forked by another thread has the file open, too; closing alone would leave it the lock.
            fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _lock(fd: int, key: str) -> None:
    # Not the waiting flock: a process that is stopped while it holds the lock would stop all others for ever.
    last = clock.monotonic_s() + LOCK_WAIT_S
    while clock.monotonic_s() < last:
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        clock.wait(clock.jitter(_LOCK_PAUSE_S))
    raise StoreUnavailable(f"{key}: another process has held the lock for {LOCK_WAIT_S:.0f} s")


def _flush_folder(key: str, folder: Path) -> None:
    try:
        flush(folder)
    except FileNotFoundError:
        return  # somebody deleted its last object since
    except OSError as error:
        raise OutcomeUnknown(f"{key}: written, but perhaps not to last: {error.strerror}") from error


def _names(folder: Path, place: str, after: str) -> list[str]:
    """Returns what stands in a folder and can be, or hold, a key behind `after`."""
    # Names are compared before they are looked at: of a long ledger only the end is asked. They sort as their UTF-8.
    behind = after[len(place) :] if after.startswith(place) else ""
    beginnings = {behind[:i] for i in range(len(behind) + 1)}
    try:
        with os.scandir(folder / place) as entries:
            some = [entry for entry in entries if (name := entry.name) > behind or name in beginnings]
    except _NOTHING_THERE:
        return []
    names = []
    for entry in some:
        path = place + entry.name
        if not is_key(path):
            continue
        if entry.is_dir(follow_symlinks=False):
            names.append(f"{path}/")
        elif _is_object(entry):
            names.append(path)
    return sorted(names, key=str.encode)


def _is_object(entry: os.DirEntry[str]) -> bool:
    # A note that is a link to a file is read like any other; a linked folder could hold itself.
    return entry.is_file(follow_symlinks=False) or (entry.is_symlink() and Path(entry).is_file())
