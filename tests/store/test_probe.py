"""Which folders may hold a store."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from paramecium.errors import StoreUnavailable
from paramecium.store.local import LocalStore
from paramecium.store.probe import check_folder, file_system


def test_a_folder_of_a_disk_is_fit_and_left_as_it_was(tmp_path: Path) -> None:
    """A folder is made if missing, is fit, and holds nothing afterwards."""
    LocalStore(tmp_path / "new" / "data").probe()
    assert list((tmp_path / "new" / "data").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        *("Dropbox", "Dropbox (Personal)", "OneDrive", "OneDrive - Firma", "Google Drive", "GoogleDrive-me@x.org"),
        *(
            "iCloud Drive",
            "iCloudDrive",
            "Mobile Documents",
            "com~apple~CloudDocs",
            "CloudStorage",
            "坚果云",
            "Nutstore",
        ),
    ],
)
def test_a_synced_folder_is_refused(tmp_path: Path, name: str) -> None:
    """A folder below one that a sync program keeps is refused, with its name and what to do; nothing is made in it."""
    with pytest.raises(StoreUnavailable, match="on this computer's own disk") as raised:
        LocalStore(tmp_path / name / "paramecium").probe()
    assert name in str(raised.value)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["dropboxes", "mydropbox", "clouds", "drive", "icloud.txt", "googledriver"])
def test_a_name_that_only_looks_alike_is_fit(tmp_path: Path, name: str) -> None:
    """A folder whose name merely holds the word is not refused."""
    check_folder(tmp_path / name)


def test_the_marker_of_a_sync_program_is_seen(tmp_path: Path) -> None:
    """A folder is refused when it, or one above it, carries a sync program's own file."""
    check_folder(tmp_path / "a" / "data")
    (tmp_path / "a" / ".stfolder").mkdir()
    with pytest.raises(StoreUnavailable, match="stfolder"):
        check_folder(tmp_path / "a" / "data")


@pytest.mark.parametrize("call", ["link", "fsync", "flock"])
def test_a_folder_that_cannot_do_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Without hard links, flushing or locks a folder is refused with the system's reason, and left empty."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(fcntl if call == "flock" else os, call, refuse)
    with pytest.raises(StoreUnavailable, match=r"cannot hold a store.*not supported"):
        check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_locks_that_hold_nobody_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that grants a lock to two at once is refused."""
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with pytest.raises(StoreUnavailable, match="locks do not hold"):
        check_folder(tmp_path)


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    """The longest mount point above the folder counts, the later of two, spaces in names read; elsewhere nothing."""
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "a / ext4 rw 0 0\nb /home nfs rw 0 0\nc /home/my\\040disk ext4 rw 0 0\nd /mnt a 0\ne /mnt cifs 0\n\n"
    )
    expected = {"/data": "ext4", "/home/x": "nfs", "/home/my disk/y": "ext4", "/homes": "ext4", "/mnt/z": "cifs"}
    assert {place: file_system(Path(place), mounts) for place in expected} == expected
    assert file_system(Path("/data"), tmp_path / "missing") == ""


def test_a_network_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder on a network file system is refused by its kind."""
    monkeypatch.setattr("paramecium.store.probe.file_system", lambda _: "nfs4")
    with pytest.raises(StoreUnavailable, match=r"network file system \(nfs4\)"):
        check_folder(tmp_path)
