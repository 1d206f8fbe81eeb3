"""How a turn ends before its model has finished: the person stops it, or its time is up.

Knows one wish to stop and one deadline; what was said so far is kept by others.
Invariant: `guard` either returns what was awaited or raises Interrupted, with `status` saying why.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from paramecium.messages import Status

POLL_S: Final = 1.5
CLOSING_S: Final = 20.0
T = TypeVar("T")


class Interrupted(Exception):
    """Says that a turn was stopped or ran out of time; never leaves chat."""


class Ending:
    """Watches over one turn; `limit_s` is what it may take from now on."""

    def __init__(self, limit_s: float) -> None:
        self.status: Status = "incomplete"
        # A short limit is halved rather than spent on closing alone.
        self._deadline = anyio.current_time() + max(limit_s - CLOSING_S, limit_s / 2)
        self._stopped = asyncio.Event()
        self._scope: anyio.CancelScope | None = None

    def stop(self) -> None:
        """Ends the turn now, as stopped."""
        self.status = "stopped"
        self._stopped.set()
        if self._scope is not None:
            self._scope.cancel()

    async def guard(self, call: Callable[[], Awaitable[T]]) -> T:
        """Returns what `call` gives; raises Interrupted when the turn is stopped or its time is up meanwhile."""
        if self._stopped.is_set() or anyio.current_time() >= self._deadline:
            raise Interrupted
        with anyio.CancelScope(deadline=self._deadline) as self._scope:
            return await call()
        raise Interrupted

    async def watch(self, is_asked: Callable[[], bool], poll_s: float = POLL_S) -> None:
        """Looks every `poll_s` seconds whether a stop is asked for; `is_asked` runs in a thread."""
        while not self._stopped.is_set():
            await asyncio.sleep(poll_s)
            if await anyio.to_thread.run_sync(is_asked):
                self.stop()
