"""The conversations of one life: blocks that are created and never touched again, each followed by its arrival.

Knows how entries get their numbers and who is told of them; gets a store that can only append, so it cannot rewrite.
Invariant: the numbers of a conversation run from 0 without a gap, and an entry stands under one number only. The next
free number is the compare-and-swap: of two writers that try it one wins, and the other goes on behind what it finds.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain, groupby
from typing import Final

from paramecium import clock
from paramecium.archive import blocks
from paramecium.archive.files import get_text
from paramecium.archive.once import ensure
from paramecium.errors import AlreadyExists, BadId, BadInput, ConversationMissing, Damaged, OutcomeUnknown
from paramecium.messages import Entry, check_id, hung_behind
from paramecium.store import keys
from paramecium.store.base import AppendOnly
from paramecium.store.keys import Arrival

TRIES_MAX: Final = 50
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
        """Returns the entries from number `from_n` on, in order: one LIST and a GET a block that holds any of them.

        At the tail it is the LIST and one GET, since a block's key does not tell where the block ends. Raises BadId,
        Damaged naming the key, and ConversationMissing when the whole was asked for and nothing is there.
        """
        from_n = max(from_n, 0)
        entries = tuple(e for e in chain.from_iterable(self.blocks(conv, from_n)) if e.n >= from_n)
        if not entries and from_n == 0:
            raise ConversationMissing(f"no conversation {conv}")
        return entries

    def behind(self, conv: str, end: int) -> tuple[Entry, ...]:
        """Returns the entries from number `end` on, at which a block ends: with nothing new it is one LIST.

        Raises BadId, and Damaged naming the key.
        """
        return tuple(chain.from_iterable(self.blocks(conv, end, is_end=True)))

    def file(self, sha256: str) -> str:
        """Returns the text that stands under a hash; raises KeyMissing, Damaged."""
        return get_text(self._store, self._life, sha256)

    def append(self, conv: str, drafts: Sequence[Entry], at: int, *, behind: bool = False) -> tuple[Entry, ...]:
        """Stores the drafts, numbered from `at` (the tail) or behind what others wrote meanwhile.

        Returns them as they stand in the archive, in order; with `behind` also hung behind what others hung on their
        parents (see hung_behind). A draft whose id stands at `at` or behind it is not stored again. Raises BadId,
        BadInput when two drafts have one id, OutcomeUnknown, and AlreadyExists when 50 writers in a row were faster.
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
            at = entries[-1].n + 1 if entries else at
            stored |= {entry.id: entry for entry in entries}
            todo = [draft for draft in todo if draft.id not in stored]
            if behind and lost:
                todo = [hung_behind(draft, entries) for draft in todo]
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

        One LIST from that moment on, however many days ago it was. Keys that are no arrivals are passed over.
        """
        since = since.astimezone(UTC)
        since = since.replace(microsecond=since.microsecond // 1000 * 1000)
        # A key that is a prefix of all those of this moment sorts before each of them.
        first = keys.arrival(self._life, since, "", 0).removesuffix("--0")
        for key in self._store.list(keys.arrivals(self._life), first):
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

    def blocks(self, conv: str, from_n: int = 0, *, is_end: bool = False) -> list[tuple[Entry, ...]]:
        """Returns the blocks that hold numbers from `from_n` on, one joining the next.

        With `is_end` a block is known to end at `from_n`, and is not read again. Raises BadId, and Damaged naming the
        key.

        A listing that runs while others write may show a block and not yet the one before it, so a gap is believed
        only when a second listing shows it too.
        """
        gap = 0
        check_id(conv)
        for _ in range(_LISTINGS_MAX):
            found = self._get_all(self._names(conv, from_n, is_end=is_end))
            ends = [block[-1].n + 1 for block in found]
            begins = [block[0].n for block in found]
            gaps = [end for end, begin in zip(ends, begins[1:], strict=False) if end != begin]
            if begins and begins[0] > from_n:
                gaps = [from_n]
            if not gaps:
                return [block for block, end in zip(found, ends, strict=True) if end > from_n]
            gap = gaps[0]
        raise Damaged(f"{keys.block(self._life, conv, gap)}: no block holds this number, though later ones stand")

    def _names(self, conv: str, from_n: int, *, is_end: bool) -> list[str]:
        """Returns the keys of the block that may hold `from_n` and of those behind it.

        A block has at most 500 entries, so the one that holds a number begins less than 500 before it.
        """
        before = from_n - (1 if is_end else blocks.ENTRIES_MAX)
        after = keys.block(self._life, conv, before) if before >= 0 else ""
        found = [(blocks.number(key), key) for key in self._store.list(keys.conversation(self._life, conv), after)]
        numbered = [(n, key) for n, key in found if n is not None]
        first = max((n for n, _ in numbered if n <= from_n), default=0)
        return [key for n, key in numbered if n >= first]

    def _get_all(self, names: Sequence[str]) -> list[tuple[Entry, ...]]:
        if len(names) < 2:
            return [self.block(name) for name in names]
        with ThreadPoolExecutor(min(GETS_AT_ONCE, len(names))) as pool:
            return list(pool.map(self.block, names))

    def _met(self, conv: str, at: int, wanted: set[str]) -> tuple[Entry, ...]:
        """Returns what stands from `at` on; a wanted entry is announced again: its writer may have died before."""
        found = self.blocks(conv, at)
        for block in found:
            if any(entry.id in wanted for entry in block):
                self._arrive(conv, block[0].n)
        return tuple(chain.from_iterable(found))

    def _arrive(self, conv: str, n: int) -> None:
        ensure(self._store, keys.arrival(self._life, self._now(), conv, n), b"")
