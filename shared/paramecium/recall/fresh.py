"""Entries that arrived after the index was last written: read once a process, kept until the index has them.

Invariant: at most 200 entries; the newest, since what was just said is asked for most.
"""

import threading
from datetime import UTC, datetime, timedelta

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, ConversationMissing, Damaged, KeyMissing
from paramecium.index.manifest import Manifest
from paramecium.index.said import Mark, Said, mark_from, said_from
from paramecium.messages import Entry
from paramecium.recall.view import Fresh
from paramecium.store import keys

FRESH_ENTRIES_MAX = 200
LOOK_BACK = timedelta(hours=1)


class FreshReader:
    """Lists the arrivals since the index's last one and reads the blocks it has not read before."""

    def __init__(self, archive: Archive, life: str) -> None:
        self._archive = archive
        self._life = life
        self._blocks: dict[tuple[str, int], tuple[Entry, ...]] = {}
        self._lock = threading.Lock()

    def read(self, manifest: Manifest) -> Fresh:
        """Returns what the manifest's coverage leaves out; a block that cannot be read is left out too."""
        covered = manifest.coverage.conversations
        wanted = [
            (a.conversation, a.n)
            for a in self._archive.arrivals(since(manifest))
            if a.n >= covered.get(a.conversation, 0)
        ]
        with self._lock:
            blocks = self._kept(list(dict.fromkeys(wanted)))
        saids: list[Said] = []
        marks: list[Mark] = []
        for (conversation, _), entries in blocks:
            for entry in entries:
                said, mark = said_from(conversation, entry), mark_from(conversation, entry)
                saids += [said] if said else []
                marks += [mark] if mark else []
        return Fresh(tuple(saids), tuple(marks))

    def _kept(self, wanted: list[tuple[str, int]]) -> list[tuple[tuple[str, int], tuple[Entry, ...]]]:
        """Reads newest first until the bound, and forgets the blocks that are not wanted any more."""
        kept: list[tuple[tuple[str, int], tuple[Entry, ...]]] = []
        count = 0
        for place in reversed(wanted):
            if count >= FRESH_ENTRIES_MAX:
                break
            entries = self._blocks.get(place)
            entries = self._block(place) if entries is None else entries
            kept.append((place, entries[: FRESH_ENTRIES_MAX - count]))
            count += len(entries)
        self._blocks = {place: entries for place, entries in kept if entries}
        return list(reversed(kept))

    def _block(self, place: tuple[str, int]) -> tuple[Entry, ...]:
        try:
            return self._archive.block(keys.block(self._life, *place))
        except (ConversationMissing, KeyMissing, Damaged, BadId):
            return ()


def since(manifest: Manifest) -> datetime:
    """Returns the moment from which arrivals are to be listed: an hour before the last one handled.

    Clocks of different workers differ, and a block's arrival is written after the block.
    """
    last = manifest.coverage.arrivals
    if not last:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return keys.read_arrival(last).moment - LOOK_BACK
