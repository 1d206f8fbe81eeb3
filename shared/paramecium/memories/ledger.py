"""The ledger: events that are created and never touched again, each under the next free number.

Gets a store that can only append. The next free number is the compare-and-swap, tried from the last known tail + 1.
Invariant: numbers run from 0 without a gap; an event that `append` returned stands, under one number of this writer's.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from paramecium import clock
from paramecium.errors import AlreadyExists, Damaged, KeyMissing, OutcomeUnknown
from paramecium.memories.events import Event, Later, event_from, event_to
from paramecium.messages import dump_json
from paramecium.store import keys, record
from paramecium.store.base import AppendOnly

TRIES_MAX: Final = 1000
GETS_AT_ONCE: Final = 16
MENDING: Final = "put the file back from a copy (`paramecium verify` names all that is damaged)"
_HOLE: Final = "damaged event"
_STEPS_MAX = 3
_PAUSE_S = 0.002
_PAUSE_MAX_S = 0.05


class Ledger:
    """Reads and continues the events of one life; threads may share it."""

    def __init__(self, store: AppendOnly, life: str) -> None:
        self._store, self._life = store, keys.check_life(life)
        self._tail = self._supposed = 0
        self._lock = threading.Lock()

    def append(self, events: Sequence[Event]) -> int:
        """Stores the events one after the other and returns the number behind the last of them.

        Others may write in between. Raises OutcomeUnknown, StoreUnavailable, and AlreadyExists when 1,000 writers in a
        row were faster; the events before the one it happened to stand.
        """
        n = self._known_tail()
        for event in events:
            n = self._append(event, n) + 1
            self._learn(n)
        return n

    def read(self, from_n: int = 0) -> tuple[Event, ...]:
        """Returns the events from number `from_n` on: a LIST, and a GET an event, 16 at once.

        Raises Damaged naming the key of an event that cannot be read, or is gone though later ones stand.
        """
        events: list[Event] = []
        for found in self.found(from_n):
            if isinstance(found, Damaged):
                raise found
            events.append(found)
        return tuple(events)

    def found(self, from_n: int = 0) -> tuple[Event | Damaged, ...]:
        """Returns what `read` does, and what is wrong with an event in its place."""
        # A listing that runs while others write may miss an event and show the next; that it stands, its GET tells.
        numbers = range(from_n, self._end(from_n))
        found = tuple(self._read_all([keys.event(self._life, n) for n in numbers]))
        if found:  # who asks from beyond the end has not seen where it is
            self._learn(numbers.stop)
        return found

    def readable(self, from_n: int = 0, warn: Callable[[str], None] = lambda _: None) -> tuple[Event, ...]:
        """Returns what `read` does, with an event that moves nothing in place of each damaged one, which is told."""
        return tuple(_moving_nothing(f, n, warn) for n, f in enumerate(self.found(from_n), from_n))

    def since(self, from_n: int, warn: Callable[[str], None] = lambda _: None) -> tuple[Event, ...]:
        """Returns what `readable` does; where nothing stands under number `from_n`, that is one GET.

        A few are read one by one, and only a long way is listed. A number that is gone though later ones stand is told
        by `readable` alone.
        """
        events: list[Event] = []
        for n in range(from_n, from_n + _STEPS_MAX):
            try:
                events.append(_moving_nothing(self._standing(keys.event(self._life, n)), n, warn))
            except KeyMissing:
                break
        else:
            events += self.readable(from_n + _STEPS_MAX, warn)
        if events:
            self._learn(from_n + len(events))
        return tuple(events)

    def suppose(self, tail: int) -> None:
        """Takes a hint of where the end is, as a snapshot gives it; before an event is written it is looked at.

        Without it the first event of a process costs a LIST of the whole ledger.
        """
        with self._lock:
            self._supposed = max(self._supposed, tail)

    def is_sound(self, n: int) -> bool:
        """Tells whether the event of a number can be read, by one GET."""
        return not isinstance(self._event(keys.event(self._life, n)), Damaged)

    def examine(self) -> Iterator[tuple[str, Event | Damaged]]:
        """Yields the key of each event and the event, or what is wrong with it; what is no event's key is Damaged."""
        names = list(self._store.list(keys.events(self._life)))
        numbers = {n for n in map(keys.event_number, names) if n is not None}
        for name in names:
            if keys.event_number(name) is None:
                yield name, Damaged(f"{name} is not the name of an event")
        for n in sorted(numbers):
            if n and n - 1 not in numbers:
                yield (missing := keys.event(self._life, n - 1)), _gone(missing)
        known = [keys.event(self._life, n) for n in sorted(numbers)]
        yield from zip(known, self._read_all(known), strict=True)

    def _append(self, event: Event, n: int) -> int:
        """Returns the number under which the event stands, `n` or the first free one behind it."""
        body = dump_json(event_to(event))
        for attempt in range(TRIES_MAX):
            try:
                self._store.create(keys.event(self._life, n), body)
            except AlreadyExists:
                # Written by us in a try whose answer was lost, or by somebody else.
                if self._store.get(keys.event(self._life, n)).body == body:
                    return n
                # Few are usually ahead, and a LIST costs more than a step; after a long way it costs less.
                n = n + 1 if attempt % _STEPS_MAX < _STEPS_MAX - 1 else max(n + 1, self._end(n + 1))
            except OutcomeUnknown:
                if attempt == TRIES_MAX - 1:
                    raise
            else:
                return n
            clock.wait(clock.jitter(min(_PAUSE_S * (attempt + 1), _PAUSE_MAX_S)))
        raise AlreadyExists(f"{keys.event(self._life, n)}: {TRIES_MAX} writers in a row were faster")

    def _end(self, from_n: int) -> int:
        """Returns the number behind the last event that stands, from one LIST."""
        return max(self._listed(from_n), default=from_n - 1) + 1

    def _listed(self, from_n: int) -> Iterator[int]:
        after = keys.event(self._life, from_n - 1) if from_n > 0 else ""
        numbers = map(keys.event_number, self._store.list(keys.events(self._life), after))
        return (n for n in numbers if n is not None)

    def _read_all(self, names: Sequence[str]) -> Iterator[Event | Damaged]:
        if len(names) < 2:
            yield from map(self._event, names)
            return
        with ThreadPoolExecutor(min(GETS_AT_ONCE, len(names))) as pool:
            yield from pool.map(self._event, names)

    def _event(self, key: str) -> Event | Damaged:
        try:
            return self._standing(key)
        except KeyMissing:
            return _gone(key)

    def _standing(self, key: str) -> Event | Damaged:
        body = self._store.get(key).body
        try:
            return event_from(record.parse(key, body))
        except Damaged as error:
            return Damaged(f"{key}: {str(error).removeprefix(f'{key}: ')}")

    def _known_tail(self) -> int:
        with self._lock:
            tail, supposed = self._tail, self._supposed
        if tail:
            return tail
        return self._end(supposed if supposed and self._stands(supposed - 1) else 0)

    def _stands(self, n: int) -> bool:
        try:
            self._store.get(keys.event(self._life, n))
        except KeyMissing:
            return False
        return True

    def _learn(self, tail: int) -> None:
        with self._lock:
            self._tail = max(self._tail, tail)


def is_hole(event: Event) -> bool:
    """Tells whether an event only stands in the place of one that is damaged."""
    return isinstance(event.what, Later) and event.what.kind == _HOLE


def _moving_nothing(found: Event | Damaged, n: int, warn: Callable[[str], None]) -> Event:
    if isinstance(found, Event):
        return found
    warn(f"an event of the memories was passed over; {MENDING}: {found}")
    return Event(f"damaged-{n}", "", "", Later(_HOLE, {}))


def _gone(key: str) -> Damaged:
    return Damaged(f"{key}: no event has this number, though later ones stand")
