"""How bytes become a file that lasts, and what to do when a disk refuses.

Knows temporary files, flushing and the errors of a disk; knows nothing of keys' meaning or of versions.
Invariant: a temporary file is gone when its block ends, or an hour after its process was killed.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paramecium import clock
from paramecium.errors import StoreUnavailable

LEFTOVER_AGE_S = 3600
LEFTOVERS_MAX = 1000

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EROFS: "the disk is read-only; choose a folder that can be written",
    errno.EACCES: "no permission; the folder must belong to the user who runs this",
    errno.EPERM: "not permitted; the folder must belong to the user who runs this, on a disk with hard links",
    errno.EXDEV: "a part of the folder is on another disk; keep all of it on one",
    errno.ENOENT: "the folder is gone or cannot be made; is its disk mounted?",
    errno.EMFILE: "too many open files; raise the limit of open files (ulimit -n)",
}


@contextmanager
def disk_errors_named(key: str) -> Iterator[None]:
    """Turns an error of the disk into StoreUnavailable that names `key` and says what to do."""
    try:
        yield
    except OSError as error:
        reason = _ADVICE.get(error.errno or 0, error.strerror or str(error))
        raise StoreUnavailable(f"{key}: {reason}") from error


@contextmanager
def temporary(folder: Path) -> Iterator[Path]:
    """Gives an unused name in `folder`, which is made if missing; what stands under it at the end is removed."""
    make_folder(folder)
    path = folder / f".{clock.new_id()}"
    try:
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def write_new(path: Path, body: bytes) -> None:
    """Writes a new file, readable by its owner alone, and flushes it to the disk; raises OSError."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(fd)


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it, each flushed into the one above; raises OSError."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(0o700, exist_ok=True)
    flush(folder.parent)


def flush(path: Path) -> None:
    """Returns when a folder's names, or a file's bytes, are on the disk; raises OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files of killed processes, older than an hour, at most 1,000 looked at."""
    oldest = clock.now().timestamp() - LEFTOVER_AGE_S
    with suppress(OSError), os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(LEFTOVERS_MAX), strict=False):
            if entry.name.startswith(".") and entry.stat(follow_symlinks=False).st_mtime < oldest:
                Path(entry.path).unlink(missing_ok=True)
