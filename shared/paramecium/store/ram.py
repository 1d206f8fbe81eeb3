"""A store in memory, for tests and trials: the contract in its plainest form."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

from paramecium.errors import AlreadyExists, KeyMissing, VersionMismatch
from paramecium.store.base import Blob, check_key


class RamStore:
    """Keeps objects in a dictionary under one lock; a version is the body's hash, as on S3."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Blob:
        """Returns the object; raises KeyMissing."""
        with self._lock:
            body = self._objects.get(check_key(key))
        if body is None:
            raise KeyMissing(f"no object {key}")
        return Blob(body, _version(body))

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Returns the object, or None while it still has `version`; raises KeyMissing."""
        blob = self.get(key)
        return None if blob.version == version else blob

    def create(self, key: str, body: bytes) -> str:
        """Returns the version of the object made; raises AlreadyExists."""
        with self._lock:
            if check_key(key) in self._objects:
                raise AlreadyExists(f"{key} exists")
            self._objects[key] = bytes(body)
        return _version(body)

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Returns the new version; raises VersionMismatch when the object is another one or gone."""
        with self._lock:
            standing = self._objects.get(check_key(key))
            if standing is None or _version(standing) != expected_version:
                raise VersionMismatch(f"{key} is not the expected version")
            self._objects[key] = bytes(body)
        return _version(body)

    def delete(self, key: str) -> None:
        """Removes the object; one that is not there is no error."""
        with self._lock:
            self._objects.pop(check_key(key), None)

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Yields the keys under `prefix` behind `after`, in order."""
        with self._lock:
            keys = [
                k for k in self._objects if k.startswith(prefix) and k.encode() > after.encode("utf-8", "surrogatepass")
            ]
        yield from sorted(keys, key=str.encode)

    def fetch(self, key: str, folder: Path) -> Path:
        """Returns a file in `folder` with the object's bytes; raises KeyMissing."""
        path = folder / hashlib.sha256(check_key(key).encode()).hexdigest()
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.get(key).body)
        return path


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
