"""The contract of every store; one suite of tests holds for all of them.

A key is a path of segments joined by "/". Bodies are bytes. There is no unconditional put: an object is created
once, or replaced by whoever knows its present version. A conditional write has three outcomes: it returns the new
version (done), raises AlreadyExists or VersionMismatch (refused), or raises OutcomeUnknown (it may have happened;
the bodies that are written so carry their writer and an id, by which the writer knows its own).

No key is the folder of another: where "a" stands there is no "a/b", since a folder on disk holds either. The folder
store refuses the second of two such keys with BadId; a bucket does not see it, and the keys of `store/keys` never
make one. Keys that differ only in case are one key on some disks; those of `store/keys` are lower case.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from paramecium.errors import BadId

KEY_BYTES_MAX = 900
SEGMENT_BYTES_MAX = 255


class Blob(NamedTuple):
    """Is an object as read: its bytes and the version a replacement must name."""

    body: bytes
    version: str


class AppendOnly(Protocol):
    """Is what the archive and the ledger get: what stands there can neither be changed nor removed."""

    def get(self, key: str) -> Blob:
        """Returns the object; raises KeyMissing."""
        ...

    def create(self, key: str, body: bytes) -> str:
        """Returns the version of the object made; raises AlreadyExists, OutcomeUnknown."""
        ...

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Yields the keys that start with `prefix` and sort behind `after`, in the order of their UTF-8 bytes."""
        ...


class ObjectStore(AppendOnly, Protocol):
    """Is the whole store, for what is derived, made by hand or a working paper."""

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Returns the object, or None while it still has `version`; raises KeyMissing."""
        ...

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Returns the new version; raises VersionMismatch when the object is another one or gone, OutcomeUnknown."""
        ...

    def delete(self, key: str) -> None:
        """Removes the object; one that is not there is no error."""
        ...

    def fetch(self, key: str, folder: Path) -> Path:
        """Returns a local file with the object's bytes, to be mapped and never written.

        A local store returns its own file, without a copy; others download into `folder` under a name made from the
        key, and return the file that is there already. Only create-only keys are fetched. Raises KeyMissing.
        """
        ...


def check_key(key: str) -> str:
    """Returns `key` if it may name an object, else raises BadId.

    Segments are neither empty nor start with a dot (the local store's own files do), and hold no backslash or control
    character; letters stand in composed form (NFC), since some file systems compose by themselves; at most 900 bytes,
    and 255 a segment, which is what a file's name may have.
    """
    segments = key.split("/")
    if not all(segments) or any(s.startswith(".") for s in segments):
        raise BadId(f"not a key: {key!r:.100}")
    if "\\" in key or not _is_plain(key):
        raise BadId(f"a key with a control character or backslash: {key!r:.100}")
    if len(key.encode()) > KEY_BYTES_MAX or any(len(s.encode()) > SEGMENT_BYTES_MAX for s in segments):
        raise BadId(f"a key that is too long: {key!r:.100}")
    if not unicodedata.is_normalized("NFC", key):
        raise BadId(f"a key whose letters are not composed: {key!r:.100}")
    return key


def is_key(name: str) -> bool:
    """Tells whether `name` may name an object; a folder or bucket can hold what others put there."""
    try:
        return bool(check_key(name))
    except BadId:
        return False


def _is_plain(key: str) -> bool:
    # Lists check every key, and looking each character up would be most of their time.
    if key.isascii():
        return key.isprintable()
    return not any(unicodedata.category(c) in ("Cc", "Cs") for c in key)
