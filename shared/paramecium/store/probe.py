"""Whether a folder can hold a store: hard links, locks and flushing work, and nothing else moves its files.

Knows file systems and the names of sync programs; knows nothing of keys. What it cannot see (a sync program without
a name in the path or a marker beside it) it does not refuse.
Invariant: what it writes is gone when it returns.
"""

import fcntl
import os
import re
from pathlib import Path

from paramecium import clock
from paramecium.errors import StoreUnavailable
from paramecium.store.files import flush, make_folder, write_new

# Their clients keep what they have read, so a writer under a lock may still see an older version than it replaces.
_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "davfs"}
_NETWORK |= {f"fuse.{program}" for program in ("sshfs", "rclone", "s3fs", "gcsfuse", "mountpoint-s3")}
_SYNCED = re.compile(
    r"(dropbox|onedrive|google ?drive|icloud ?drive|nutstore|坚果云|baidusyncdisk)([ (-].*)?"
    r"|mobile documents|com~apple~clouddocs|cloudstorage",
    re.IGNORECASE,
)
_SYNC_MARKERS = (".dropbox.cache", ".stfolder", ".nextcloudsync.log")
_ADVICE = "choose a folder on this computer's own disk, outside synced folders"


def check_folder(folder: Path) -> None:
    """Returns if `folder` (which is made if missing) can hold a store; raises StoreUnavailable saying what to do."""
    check_place(folder)
    where = folder.resolve()
    try:
        make_folder(where)
        _try(where, f".probe-{clock.new_id()}")
    except OSError as error:
        raise StoreUnavailable(f"{folder} cannot hold a store: {error.strerror or error}; {_ADVICE}") from error


def check_place(folder: Path) -> None:
    """Returns if `folder`, which need not be there yet, lies where a store may; writes nothing. Raises as above."""
    where = folder.resolve()
    synced = _synced_by(where)
    if synced:
        raise StoreUnavailable(f"{folder} is kept in step by a sync program ({synced}); {_ADVICE}")
    kind = file_system(where)
    if kind in _NETWORK:
        raise StoreUnavailable(f"{folder} is on a network file system ({kind}); {_ADVICE}")


def _try(folder: Path, name: str) -> None:
    file, link = folder / name, folder / f"{name}-link"
    try:
        write_new(file, b"")
        link.hardlink_to(file)
        flush(folder)
        _check_locks(file)
    finally:
        link.unlink(missing_ok=True)
        file.unlink(missing_ok=True)


def _check_locks(file: Path) -> None:
    # Some file systems answer every flock with success; only a second holder shows it.
    first, second = os.open(file, os.O_RDWR), os.open(file, os.O_RDWR)
    try:
        fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        raise OSError("locks do not hold")
    finally:
        os.close(first)
        os.close(second)


def _synced_by(folder: Path) -> str:
    for part in folder.parts:
        if _SYNCED.fullmatch(part):
            return part
    for place in (folder, *folder.parents):
        for marker in _SYNC_MARKERS:
            if (place / marker).exists():
                return str(place / marker)
    return ""


def file_system(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """Returns the kind of file system `folder` is on, or "" where it is not told, as on all but Linux."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), fields[1])
        if len(place) >= best and folder.is_relative_to(place):
            best, kind = len(place), fields[2]
    return kind
