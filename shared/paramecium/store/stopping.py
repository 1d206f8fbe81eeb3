"""A store that a job gets: once the job is asked to stop, its next call raises Stopped.

Knows nothing of who asks. Invariant: a call that began is finished and its answer given; between two store calls
nothing is half done, so that is where a job may end at any time.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from paramecium.errors import Stopped
from paramecium.store.base import Blob, ObjectStore


class StoppingStore:
    """Passes every call on, until asked to stop."""

    def __init__(self, inner: ObjectStore, asked_to_stop: Callable[[], bool]) -> None:
        self._inner = inner
        self._asked_to_stop = asked_to_stop

    def check(self) -> None:
        """Raises Stopped if the job was asked to stop; long work between two calls asks it too."""
        if self._asked_to_stop():
            raise Stopped("the job was asked to stop and goes on at its next run")

    def get(self, key: str) -> Blob:
        """Returns the object."""
        self.check()
        return self._inner.get(key)

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Returns the object, or None while it still has `version`."""
        self.check()
        return self._inner.get_if_changed(key, version)

    def create(self, key: str, body: bytes) -> str:
        """Returns the version of the object made."""
        self.check()
        return self._inner.create(key, body)

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Returns the new version."""
        self.check()
        return self._inner.replace(key, body, expected_version)

    def delete(self, key: str) -> None:
        """Removes the object."""
        self.check()
        self._inner.delete(key)

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Yields the keys under `prefix` behind `after`; a long list ends at the key at which it is asked to."""
        self.check()
        return self._checked(self._inner.list(prefix, after))

    def fetch(self, key: str, folder: Path) -> Path:
        """Returns a local file with the object's bytes."""
        self.check()
        return self._inner.fetch(key, folder)

    def _checked(self, keys: Iterator[str]) -> Iterator[str]:
        for key in keys:
            self.check()
            yield key
