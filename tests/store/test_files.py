"""Temporary files: gone when their block ends, or when they are an hour old."""

import os
from pathlib import Path

import pytest

from paramecium import clock
from paramecium.store.files import LEFTOVER_AGE_S, remove_leftovers, temporary, write_new
from paramecium.store.local import LocalStore
from tests.fakes import Killed


def test_a_temporary_file_is_gone_whatever_happens(tmp_path: Path) -> None:
    """The file is removed at the end, after an error, after the death of the process, and if it was moved."""
    for error in (None, ValueError(), Killed()):
        try:
            with temporary(tmp_path / "deep" / "folder") as path:
                write_new(path, b"x")
                assert path.read_bytes() == b"x"
                if error:
                    raise error
        except (ValueError, Killed):
            pass
        assert list((tmp_path / "deep" / "folder").iterdir()) == []
    with temporary(tmp_path) as path:
        write_new(path, b"x")
        path.replace(tmp_path / "kept")
    assert (tmp_path / "kept").read_bytes() == b"x"


def test_a_file_is_written_once(tmp_path: Path) -> None:
    """A name that is taken is not written over."""
    write_new(tmp_path / "a", b"1")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"1"


def test_what_a_killed_process_left_goes_after_an_hour(tmp_path: Path) -> None:
    """Opening the store removes leftovers older than an hour, and leaves what is being written now."""
    temp = tmp_path / ".temp"
    temp.mkdir()
    moment = clock.now().timestamp()
    for name, age_s in ((".old", LEFTOVER_AGE_S + 60), (".young", LEFTOVER_AGE_S - 60), (".new", 0)):
        (temp / name).write_bytes(b"half")
        os.utime(temp / name, (moment - age_s, moment - age_s))
    store = LocalStore(tmp_path)
    assert sorted(p.name for p in temp.iterdir()) == [".new", ".young"]
    assert list(store.list("")) == []


def test_only_temporary_files_are_leftovers(tmp_path: Path) -> None:
    """An old file that is not temporary stays, and a folder that is missing is no error."""
    (tmp_path / "kept").write_bytes(b"1")
    os.utime(tmp_path / "kept", (0, 0))
    remove_leftovers(tmp_path)
    remove_leftovers(tmp_path / "missing")
    assert (tmp_path / "kept").read_bytes() == b"1"
