"""Turns that run whether or not anybody listens, and the ear a response has at one.

Knows tasks and queues; knows neither HTTP nor what a turn does. Invariant: a listener that is slow or gone costs the
turn at most PATIENCE_S in all, and what the turn raises reaches the listener as an event, or as the error itself while
there was none.
"""

import asyncio
from collections.abc import AsyncIterator

from functions.gateway.errors import described
from functions.gateway.event_stream import PING, frame
from functions.gateway.house import Chat
from paramecium import clock
from paramecium.chat.events import Ask, ChatEvent, Done, Failed, Started
from paramecium.errors import Unavailable

QUEUE_EVENTS_MAX = 1000
JOINED_EVENTS_MAX = 200
PATIENCE_S = 10.0
_LAST_WORDS_S = 0.3

Heard = ChatEvent | Exception | None  # None is the end


class Listener:
    """Is one response's ear at a turn."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Heard] = asyncio.Queue(QUEUE_EVENTS_MAX)
        self._ended = False
        self._patience_s = PATIENCE_S

    async def tell(self, heard: Heard) -> None:
        """Hands one thing over, without a task switch while there is room; to nobody once the listener left."""
        if self._ended:
            return
        try:
            self._queue.put_nowait(heard)
        except asyncio.QueueFull:
            await self._wait_for_room(heard)

    async def first(self) -> ChatEvent:
        """Returns the first event; raises what the turn raised before it, Unavailable if it was cut off."""
        try:
            heard = await self._queue.get()
        except BaseException:
            self.leave()
            raise
        if heard is None:
            raise Unavailable("the server is shutting down; look whether the message was kept before sending it again")
        if isinstance(heard, Exception):
            raise heard
        return heard

    async def more(self) -> list[ChatEvent]:
        """Returns what there is by now, at least one event, at most JOINED_EVENTS_MAX; [] after the last one."""
        if self._ended:
            return []
        events: list[ChatEvent] = []
        heard = await self._queue.get()
        while heard is not None and not isinstance(heard, Exception):
            events.append(heard)
            if self._queue.empty() or len(events) == JOINED_EVENTS_MAX:
                return events
            heard = self._queue.get_nowait()
        self._ended = True
        return events

    def leave(self) -> None:
        """Listens no longer; a turn that waits for room goes on at once."""
        self._ended = True
        while not self._queue.empty():
            self._queue.get_nowait()

    async def _wait_for_room(self, heard: Heard) -> None:
        began_s = clock.monotonic_s()
        try:
            async with asyncio.timeout(self._patience_s):
                await self._queue.put(heard)
        except TimeoutError:
            # Without `done` at its end the listener's stream shows that it missed something.
            self.leave()
        self._patience_s -= clock.monotonic_s() - began_s


class Turns:
    """Holds the running turns."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, chat: Chat, ask: Ask) -> Listener:
        """Starts a turn in a task of its own and returns the ear at it."""
        listener = Listener()
        task = asyncio.create_task(_run(chat, ask, listener), name=f"turn {ask.turn}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return listener

    async def settle(self, grace_s: float) -> None:
        """Waits up to `grace_s` for running turns, then cancels the rest."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace_s)
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_LAST_WORDS_S)


async def frames(first: ChatEvent, listener: Listener, ping_after_s: float) -> AsyncIterator[bytes]:
    """Yields a turn's events as bytes, those that came together in one piece, and a ping after each silence."""
    yield frame(first)
    while True:
        try:
            async with asyncio.timeout(ping_after_s):
                events = await listener.more()
        except TimeoutError:
            yield PING
            continue
        if not events:
            return
        yield b"".join(map(frame, events))


async def _run(chat: Chat, ask: Ask, listener: Listener) -> None:
    started: Started | None = None
    done = False
    try:
        async for event in chat.run(ask):
            if isinstance(event, Started):
                started = event
            done = isinstance(event, Done)
            await listener.tell(event)
        if not done:
            raise RuntimeError("a turn ended without Done")
    except Exception as error:  # noqa: BLE001 - a door: it becomes the listener's
        if started is None:
            await listener.tell(error)
            return
        kind, message, status = described(error)
        if not done:
            await listener.tell(Failed(kind, message, status))
            await listener.tell(Done(started.turn, started.conversation, None, "error"))
    finally:
        await listener.tell(None)
