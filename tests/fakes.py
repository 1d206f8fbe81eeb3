"""The fakes of all tests: a clock that stands, an embedder of hashes, an upstream with a queue, a store that dies."""

import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paramecium.store.base import Blob, ObjectStore
from paramecium.upstream.base import Request, UpstreamEvent

# The header of an image of one pixel by two.
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0"


class FixedClock:
    """Is a clock that moves only when told to, or by `step` at each look."""

    def __init__(self, moment: datetime | None = None, step: timedelta = timedelta(0)) -> None:
        self.moment = moment or datetime(2026, 6, 12, 15, 47, tzinfo=UTC)
        self.step = step

    def __call__(self) -> datetime:
        self.moment += self.step
        return self.moment

    def forward(self, **kwargs: float) -> None:
        """Moves the clock by a timedelta's arguments."""
        self.moment += timedelta(**kwargs)


class HashEmbedder:
    """Embeds a text as the sum of its hashed characters and pairs of them: deterministic, and fit to be searched."""

    id = "hash/1"
    dims = 64

    def __init__(self) -> None:
        self.mean: NDArray[np.float32] = np.zeros(self.dims, np.float32)
        self.floors: dict[str, float] = {}
        self.embedded: list[str] = []

    def query(self, text: str) -> NDArray[np.float32]:
        """Returns the vector of a query."""
        return self._vector(text)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns one vector a text and remembers what was asked."""
        self.embedded.extend(texts)
        return np.array([self._vector(t) for t in texts], np.float32).reshape(len(texts), self.dims)

    def warm(self) -> None:
        """Does nothing: there is nothing to load."""

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dims, np.float32)
        for i in range(len(text)):
            for size in (1, 2):
                code = zlib.crc32(text[i : i + size].encode("utf-8", "surrogatepass"))
                vector[code % self.dims] += 1 if code & 1024 else -1
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector


Script = Sequence[UpstreamEvent | Exception | Callable[[], None]]


class ScriptedUpstream:
    """Answers each call with the next script of its queue and remembers every request."""

    def __init__(self, *scripts: Script) -> None:
        self.queue = list(scripts)
        self.requests: list[Request] = []

    def enqueue(self, *scripts: Script) -> None:
        """Adds scripts: events to yield, exceptions to raise, functions to call in between."""
        self.queue.extend(scripts)

    async def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the next script."""
        self.requests.append(request)
        for step in self.queue.pop(0):
            if isinstance(step, Exception):
                raise step
            if callable(step):
                step()
            else:
                yield step

    async def aclose(self) -> None:
        """Does nothing: there is nothing to close."""


class Killed(BaseException):
    """Is the death of the process, in a test: nothing may catch it."""


class WatchedStore:
    """Passes calls on to a store, counts them, and can die before or after any of them.

    `die_at` is the number of the call to die at, from 1; `after` dies when the call has had its effect.
    """

    def __init__(self, inner: ObjectStore, *, die_at: int | None = None, after: bool = False) -> None:
        self.inner = inner
        self.die_at = die_at
        self.after = after
        self.calls: list[tuple[str, str]] = []

    def _enter(self, name: str, key: str) -> None:
        self.calls.append((name, key))
        if self.die_at == len(self.calls) and not self.after:
            raise Killed(f"before {name} {key}")

    def _leave(self, name: str, key: str) -> None:
        if self.die_at is not None and self.after and len(self.calls) >= self.die_at:
            raise Killed(f"after {name} {key}")

    def get(self, key: str) -> Blob:
        """Counts and reads."""
        self._enter("get", key)
        blob = self.inner.get(key)
        self._leave("get", key)
        return blob

    def get_if_changed(self, key: str, version: str) -> Blob | None:
        """Counts and reads if changed."""
        self._enter("get_if_changed", key)
        blob = self.inner.get_if_changed(key, version)
        self._leave("get_if_changed", key)
        return blob

    def create(self, key: str, body: bytes) -> str:
        """Counts and creates."""
        self._enter("create", key)
        version = self.inner.create(key, body)
        self._leave("create", key)
        return version

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Counts and replaces."""
        self._enter("replace", key)
        version = self.inner.replace(key, body, expected_version)
        self._leave("replace", key)
        return version

    def delete(self, key: str) -> None:
        """Counts and deletes."""
        self._enter("delete", key)
        self.inner.delete(key)
        self._leave("delete", key)

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Counts one call, however many keys, and lists."""
        self._enter("list", prefix)
        yield from list(self.inner.list(prefix, after))
        self._leave("list", prefix)

    def fetch(self, key: str, folder: Path) -> Path:
        """Counts and fetches."""
        self._enter("fetch", key)
        path = self.inner.fetch(key, folder)
        self._leave("fetch", key)
        return path
