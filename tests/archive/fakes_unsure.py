"""A store that does not say what became of some writes."""

from collections.abc import Iterator

from paramecium.errors import OutcomeUnknown
from paramecium.store.base import AppendOnly, Blob


class UnsureStore:
    """Passes calls on; the creates numbered in `unsure`, from 1, end unknown, with effect where `done`."""

    def __init__(self, inner: AppendOnly, *, unsure: range, done: bool) -> None:
        self.inner = inner
        self.unsure = unsure
        self.done = done
        self.creates = 0

    def get(self, key: str) -> Blob:
        """Reads."""
        return self.inner.get(key)

    def create(self, key: str, body: bytes) -> str:
        """Creates, or does not, and may not tell."""
        self.creates += 1
        if self.creates not in self.unsure:
            return self.inner.create(key, body)
        if self.done:
            self.inner.create(key, body)
        raise OutcomeUnknown(f"{key}: no answer")

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Lists."""
        return self.inner.list(prefix, after)
