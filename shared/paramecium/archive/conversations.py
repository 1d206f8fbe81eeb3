"""The conversations of one life: blocks that are created and never touched again, each followed by its arrival.

Knows how entries get their numbers and who is told of them; gets a store that can only append, so it cannot rewrite.
Invariant: the numbers of a conversation run from 0 without a gap, and an entry stands under one number only. The next
free number is the compare-and-swap: of two writers that try it one wins, and the other goes on behind what it finds.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import chain, groupby
from typing import Final

from paramecium import clock
from paramecium.archive import blocks
from paramecium.archive.once import ensure
from paramecium.errors import AlreadyExists, BadId, BadInput, ConversationMissing, Damaged, OutcomeUnknown
from paramecium.messages import Entry, check_id
from paramecium.store import keys
from paramecium.store.base import AppendOnly
from paramecium.store.keys import Arrival

TRIES_MAX: Final = 50
DAYS_MAX: Final = 400
GETS_AT_ONCE: Final = 16
_LISTINGS_MAX = 2
_PAUSE_S = 0.002
_PAUSE_MAX_S = 0.05


class Archive:
    """Reads and continues the conversations of one life."""

    def __init__(self, store: AppendOnly, life: str, *, now: clock.Now = clock.now) -> None:
        self._store = store
        self._life = keys.check_life(life)
        self._now = now

    def read(self, conv: str, from_n: int = 0) -> tuple[Entry, ...]:
        """Returns the entries of the blocks whose own number is at least `from_n`, in order.

        `from_n` is the number of a block or the tail. Raises BadId, Damaged naming the key, and ConversationMissing
        when the whole was asked for and nothing is there.
        """
        entries = tuple(chain.from_iterable(self._blocks(check_id(conv), from_n)))
        if not entries and from_n == 0:
            raise ConversationMissing(f"no conversation {conv}")
        return entries

    def append(self, conv: str, drafts: Sequence[Entry], at: int) -> tuple[Entry, ...]:
        """Stores the drafts, numbered from `at` (the tail) or behind what others wrote meanwhile.

        Returns them as they stand in the archive, in their order. A draft whose id stands at `at` or behind it is not
        stored again, so an append may be repeated. Raises BadId, BadInput when two drafts have one id, OutcomeUnknown,
        and AlreadyExists when 50 writers in a row were faster.
        """
        check_id(conv)
        if len({check_id(draft.id) for draft in drafts}) < len(drafts):
            raise BadInput(f"two entries for {conv} have the same id")
        todo, stored, lost = list(drafts), dict[str, Entry](), 0
        while todo:
            entries, body = blocks.cut(todo, at)
            try:
                self._store.create(keys.block(self._life, conv, at), body)
            except (AlreadyExists, OutcomeUnknown):
                lost += 1
                if lost == TRIES_MAX:
                    raise
                clock.wait(clock.jitter(min(_PAUSE_S * lost, _PAUSE_MAX_S)))
                entries = self._met(conv, at, {draft.id for draft in todo})
            else:
                lost = 0
                self._arrive(conv, at)
            at += len(entries)
            stored |= {entry.id: entry for entry in entries}
            todo = [draft for draft in todo if draft.id not in stored]
        return tuple(stored[draft.id] for draft in drafts)

    def announce(self, conv: str, n: int) -> None:
        """Writes an arrival, now, for the block that holds number `n`; raises BadId, ConversationMissing."""
        names = self._store.list(keys.conversation(self._life, check_id(conv)))
        numbers = [number for number in map(blocks.number, names) if number is not None]
        if not numbers:
            raise ConversationMissing(f"no conversation {conv}")
        self._arrive(conv, max((number for number in numbers if number <= n), default=numbers[0]))

    def arrivals(self, since: datetime) -> Iterator[Arrival]:
        """Yields the arrivals at `since` (an aware datetime) or later, in the order of their keys.

        One LIST a UTC day; more than 400 days are one LIST of them all. Keys that are no arrivals are passed over.
        """
        since = since.astimezone(UTC)
        since = since.replace(microsecond=since.microsecond // 1000 * 1000)
        for key in chain.from_iterable(self._arrival_listings(since)):
            try:
                arrival = keys.read_arrival(key)
            except BadId:
                continue
            if arrival.moment >= since:
                yield arrival

    def heads(self) -> Iterator[tuple[str, int]]:
        """Yields each conversation with the number of its last block, from one LIST of them all."""
        names = self._store.list(keys.conversations(self._life))
        readable = (name for name in names if blocks.number(name) is not None)
        for conv, group in groupby(map(keys.block_number, readable), key=lambda pair: pair[0]):
            yield conv, max(n for _, n in group)

    def block(self, key: str) -> tuple[Entry, ...]:
        """Returns the entries of one block; raises KeyMissing, and Damaged naming the key."""
        return blocks.decode(key, self._store.get(key).body)

    def _blocks(self, conv: str, from_n: int) -> list[tuple[Entry, ...]]:
        """Returns the blocks from a number on, one joining the next.

        A listing that runs while others write may show a block and not yet the one before it, so a gap is believed
        only when a second listing shows it too.
        """
        gap = 0
        for _ in range(_LISTINGS_MAX):
            after = keys.block(self._life, conv, from_n - 1) if from_n > 0 else ""
            names = list(self._store.list(keys.conversation(self._life, conv), after))
            found = self._get_all([name for name in names if blocks.number(name) is not None])
            ends = [max(from_n, 0), *(block[-1].n + 1 for block in found)]
            gaps = [end for end, block in zip(ends, found, strict=False) if block[0].n != end]
            if not gaps:
                return found
            gap = gaps[0]
        raise Damaged(f"{keys.block(self._life, conv, gap)}: no block begins here, though later ones stand")

    def _get_all(self, names: Sequence[str]) -> list[tuple[Entry, ...]]:
        if len(names) < 2:
            return [self.block(name) for name in names]
        with ThreadPoolExecutor(min(GETS_AT_ONCE, len(names))) as pool:
            return list(pool.map(self.block, names))

    def _met(self, conv: str, at: int, wanted: set[str]) -> tuple[Entry, ...]:
        """Returns what stands from `at` on; a wanted entry is announced again: its writer may have died before."""
        found = self._blocks(conv, at)
        for block in found:
            if any(entry.id in wanted for entry in block):
                self._arrive(conv, block[0].n)
        return tuple(chain.from_iterable(found))

    def _arrive(self, conv: str, n: int) -> None:
        ensure(self._store, keys.arrival(self._life, self._now(), conv, n), b"")

    def _arrival_listings(self, since: datetime) -> Iterator[Iterator[str]]:
        first = since.date()
        days = (self._now().astimezone(UTC).date() - first).days + 1
        if days > DAYS_MAX:
            yield self._store.list(keys.arrivals(self._life), keys.arrivals(self._life, first.isoformat()))
            return
        for i in range(days):
            yield self._store.list(keys.arrivals(self._life, (first + timedelta(days=i)).isoformat()))
