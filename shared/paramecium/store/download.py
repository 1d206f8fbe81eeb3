"""How a large object becomes a local file: parts read side by side, joined in a temporary file, renamed when whole.

Knows parts and files; what a part is read from is given. All parts are of the version the first one had.
Invariant: under the file's name stands the whole object or nothing.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from paramecium.errors import StoreUnavailable
from paramecium.store.files import disk_errors_named, flush, remove_leftovers, temporary, write_new

PART_BYTES = 8 * 1024 * 1024
THREADS_MAX = 8


class Part(NamedTuple):
    """Is a part as read: its bytes, the size of the whole object, and the version it is of."""

    body: bytes
    total: int
    version: str


ReadPart = Callable[[int, int, str], Part]


def download(key: str, path: Path, read: ReadPart) -> None:
    """Writes the object to `path`.

    `read(first, last, version)` returns the bytes of that range, both ends included, of that version or, for "", of
    the present one; one call for objects up to 8 MiB. Raises what `read` raises, and StoreUnavailable for a disk that
    refuses or a part that is too short.
    """
    first = read(0, PART_BYTES - 1, "")
    with disk_errors_named(key):
        remove_leftovers(path.parent)
        with temporary(path.parent) as temp:
            write_new(temp, first.body)
            _add_rest(temp, first, read)
            if temp.stat().st_size != first.total:
                raise StoreUnavailable(f"{key}: {temp.stat().st_size} of {first.total} bytes came; try again")
            flush(temp)
            temp.replace(path)
            flush(path.parent)


def _add_rest(temp: Path, first: Part, read: ReadPart) -> None:
    def add(start: int) -> None:
        end = min(start + PART_BYTES, first.total)
        part = read(start, end - 1, first.version)
        if len(part.body) != end - start:
            raise StoreUnavailable(f"{len(part.body)} of {end - start} bytes came; try again")
        with temp.open("r+b") as file:
            file.seek(start)
            file.write(part.body)

    starts = range(len(first.body), first.total, PART_BYTES)
    if starts:
        with ThreadPoolExecutor(THREADS_MAX) as pool:
            list(pool.map(add, starts))
