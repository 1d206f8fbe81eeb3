"""Doubts about the past: does the index still cover what the archive has?

An archive put back from an older copy goes on under numbers that the index has taken in already, with other words.
Knows how a block is compared with what the segments hold under its numbers. Invariant: a block that says what the
index says of it is never taken for another, however often it is announced.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from paramecium.archive.conversations import GETS_AT_ONCE
from paramecium.errors import BadId, Damaged, KeyMissing
from paramecium.index.manifest import Manifest
from paramecium.index.said import Mark, mark_from, said_from
from paramecium.index.segment import Segment
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.pending import Doubt, Strayed
from paramecium.messages import Entry
from paramecium.store import keys


def clear(indexer: Indexer, manifest: Manifest, doubts: Sequence[Doubt]) -> None:
    """Reads the blocks in doubt, a GET each, and returns when they are those that the manifest covers.

    A block that cannot be read proves nothing. Raises Strayed, and Damaged and KeyMissing for a segment that cannot
    be opened.
    """
    if not doubts:
        return
    for doubt in doubts:
        if doubt.n is None:
            raise Strayed(f"{doubt.conversation} is in the index and no longer in the archive")
    held = _Held(indexer, manifest)
    with ThreadPoolExecutor(min(GETS_AT_ONCE, len(doubts))) as pool:
        blocks = pool.map(lambda doubt: _block(indexer, doubt), doubts)
        for doubt, block in zip(doubts, blocks, strict=True):
            if block and not held.agrees(doubt, block):
                raise Strayed(f"{doubt.conversation}: the block {doubt.n} is another than the index has")


def _block(indexer: Indexer, doubt: Doubt) -> tuple[Entry, ...]:
    try:
        return indexer.archive.block(keys.block(indexer.life, doubt.conversation, doubt.n or 0))
    except (BadId, Damaged, KeyMissing):
        return ()


class _Held:
    """Is what a manifest's segments hold."""

    def __init__(self, indexer: Indexer, manifest: Manifest) -> None:
        self._covered = manifest.coverage.conversations
        self._segments: list[Segment] = [indexer.cache.open(name) for name in manifest.segments]
        self._marks: dict[tuple[str, int], Mark] = {
            (mark.conversation, mark.n): mark for segment in self._segments for mark in segment.marks
        }

    def agrees(self, doubt: Doubt, block: Sequence[Entry]) -> bool:
        """Coverage always ends where a block ends, so it can neither end within this one nor behind the last one."""
        end, covered = block[-1].n + 1, self._covered[doubt.conversation]
        if end > covered or (doubt.last and end < covered):
            return False
        return all(self._says(doubt.conversation, entry) for entry in block)

    def _says(self, conversation: str, entry: Entry) -> bool:
        said = said_from(conversation, entry)
        wanted = (said.id, said.text) if said else None
        same_mark = self._marks.get((conversation, entry.n)) == mark_from(conversation, entry)
        return same_mark and self._message(conversation, entry.n) == wanted

    def _message(self, conversation: str, n: int) -> tuple[str, str] | None:
        for segment in self._segments:
            m = segment.find(conversation, n)
            if m is not None:
                said = segment.said(m)
                return said.id, said.text
        return None
