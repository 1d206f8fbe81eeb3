"""A file of an object that never changes, mapped, and its sha256 checked before anybody reads it.

Knows names and hashes; knows nothing of what is in the file.
Invariant: nothing of a file is given out before its sha256 is the one that names it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paramecium.errors import Damaged, StoreUnavailable
from paramecium.index.manifest import ObjectName
from paramecium.store.base import ObjectStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK_BYTES = 2**20


def open_checked(store: ObjectStore, part: ObjectName, folder: Path) -> tuple[Path, NDArray[Any]]:
    """Returns the local file of an object and its bytes (u1), mapped; downloads go into `folder`.

    Raises KeyMissing, StoreUnavailable when the file cannot be mapped, and Damaged naming the key when it is not the
    one named; a damaged download is removed, so that the next try fetches anew.
    """
    path = store.fetch(part.key, folder)
    if not path.exists():  # another process that shares the folder had just let go of it
        path = store.fetch(part.key, folder)
    data = _mapped(path, part.key)
    sha256 = hashlib.sha256()
    # What is hashed is the mapping that is read afterwards, not a file that may be another one by then.
    for at in range(0, data.size, _CHUNK_BYTES):
        sha256.update(data[at : at + _CHUNK_BYTES].data)
    if sha256.hexdigest() != part.sha256:
        remove_download(path, folder)
        raise Damaged(f"{part.key}: its sha256 is not the one that names it; it is made anew by: paramecium rebuild")
    return path, data


def remove_download(path: Path, folder: Path) -> None:
    """Removes a file that was downloaded into `folder`; what is mapped stays readable."""
    # A local store hands out its own file: that one is not ours to remove.
    if path.resolve().is_relative_to(folder.resolve()):
        path.unlink(missing_ok=True)


def _mapped(path: Path, key: str) -> NDArray[Any]:
    import numpy as np

    try:
        if not path.stat().st_size:
            return np.empty(0, np.uint8)  # which cannot be mapped
        # A plain array over the mapping: slicing the memmap class itself is many times slower.
        return np.asarray(np.memmap(path, np.uint8, "r"))
    except OSError as error:
        raise StoreUnavailable(f"{key}: its local file cannot be mapped: {error}") from error
