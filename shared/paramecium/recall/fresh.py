"""Entries that arrived after the index was last written: read once a process, kept until the index has them.

Invariant: at most 200 entries; the newest, since what was just said is asked for most. The blocks left out are counted.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from paramecium import clock
from paramecium.archive.conversations import GETS_AT_ONCE, Archive
from paramecium.errors import BadId, ConversationMissing, Damaged, KeyMissing
from paramecium.index.manifest import Manifest
from paramecium.index.said import mark_from, said_from
from paramecium.messages import Entry
from paramecium.recall.view import Fresh
from paramecium.store import keys

FRESH_ENTRIES_MAX = 200
LOOK_BACK = timedelta(hours=1)

Block = tuple[str, int]
"""Conversation and number of a block."""


class FreshReader:
    """Lists the arrivals since the index's last one and reads the blocks it has not read before."""

    def __init__(self, archive: Archive, life: str, now: clock.Now = clock.now) -> None:
        self._archive = archive
        self._life = life
        self._now = now
        self._blocks: dict[Block, tuple[Entry, ...]] = {}
        self._wanted: list[Block] = []
        self._fresh = Fresh()
        self._lock = threading.Lock()

    def read(self, manifest: Manifest) -> Fresh:
        """Returns what the manifest's coverage leaves out; a block that cannot be read is left out too."""
        covered = manifest.coverage.conversations
        wanted = [
            (a.conversation, a.n)
            for a in self._archive.arrivals(since(manifest, self._now()))
            if a.n >= covered.get(a.conversation, 0)
        ]
        with self._lock:
            if wanted != self._wanted:
                self._fresh = self._newest(list(dict.fromkeys(wanted)))
                self._wanted = wanted
            return self._fresh

    def _newest(self, wanted: list[Block]) -> Fresh:
        """The newest entries in their order, up to the bound; blocks that are not among them are forgotten."""
        kept: dict[Block, tuple[Entry, ...]] = {}
        newest: list[tuple[str, tuple[Entry, ...]]] = []
        left, whole = FRESH_ENTRIES_MAX, 0
        for at in range(0, len(wanted), GETS_AT_ONCE):
            for place, entries in self._read(wanted[::-1][at : at + GETS_AT_ONCE]):
                kept[place] = entries
                whole += len(entries) <= left
                if left and entries:
                    newest.append((place[0], entries[-left:]))
                    left -= len(newest[-1][1])
            if not left:
                break
        self._blocks = kept
        return _fresh_of(newest[::-1], len(wanted) - whole)

    def _read(self, places: list[Block]) -> list[tuple[Block, tuple[Entry, ...]]]:
        new = [place for place in places if place not in self._blocks]
        if len(new) > 1:
            with ThreadPoolExecutor(len(new)) as pool:
                self._blocks |= zip(new, pool.map(self._block, new), strict=True)
        else:
            self._blocks |= {place: self._block(place) for place in new}
        return [(place, self._blocks[place]) for place in places]

    def _block(self, place: Block) -> tuple[Entry, ...]:
        try:
            return self._archive.block(keys.block(self._life, *place))
        except (ConversationMissing, KeyMissing, Damaged, BadId):
            return ()


def _fresh_of(blocks: Iterable[tuple[str, tuple[Entry, ...]]], waiting: int) -> Fresh:
    entries = [(conversation, entry) for conversation, block in blocks for entry in block]
    saids = tuple(said for one in entries if (said := said_from(*one)))
    return Fresh(saids, tuple(mark for one in entries if (mark := mark_from(*one))), waiting)


def since(manifest: Manifest, now: datetime) -> datetime:
    """Returns the moment from which arrivals are to be listed for an index (see `since_arrival`)."""
    return since_arrival(manifest.coverage.arrivals, now)


def since_arrival(last: str, now: datetime) -> datetime:
    """Returns the moment to list arrivals from: an hour before the one with key `last` was written, or before `now`.

    Clocks of different workers differ, and a block's arrival is written after the block. One handled under a clock
    that was ahead must not hide what is written after that clock was put right. Raises BadId for what is no arrival.
    """
    if not last:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return min(keys.read_arrival(last).moment, now) - LOOK_BACK
