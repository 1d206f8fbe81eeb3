"""What is in the archive and not yet in the index, read block by block.

Knows two ways to find it: by the arrivals since the last time, which is O(new), and by one LIST of the whole archive,
which finds what an arrival was lost for. Invariant: a block is taken whole or not at all, so coverage always ends
where a block ends. A conversation that cannot be read is named and passed over; the nightly listing comes back to it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, Damaged, Missing, ParameciumError
from paramecium.index.manifest import Manifest
from paramecium.index.passages import passages
from paramecium.index.said import Mark, Said, mark_from, said_from
from paramecium.jobs.indexer import Batch
from paramecium.messages import Entry
from paramecium.recall.fresh import since

ENTRIES_AT_ONCE = 20_000


class Strayed(ParameciumError):
    """Says that the index covers another past than the archive has: an older archive was put back beside it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Names a block that the coverage reaches over though it may be another than the one that was taken in.

    `n` is None when the archive no longer has the conversation; `last` tells that the conversation ends with the block.
    """

    conversation: str
    n: int | None
    last: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Is one block of a conversation: its messages, its marks, its numbers and how many passages it makes."""

    conversation: str
    begin: int
    end: int
    saids: tuple[Said, ...]
    marks: tuple[Mark, ...]
    passages: int


@dataclass(frozen=True, slots=True)
class Pending:
    """Is what is to be taken in now; `arrivals` is the last arrival this settles, "" when more is left behind.

    `doubts` are to be cleared before anything of it is taken in.
    """

    blocks: tuple[Block, ...]
    arrivals: str
    more: bool
    unreadable: tuple[str, ...]
    doubts: tuple[Doubt, ...] = ()


def by_arrivals(archive: Archive, manifest: Manifest, now: datetime) -> Pending:
    """Returns what arrived since the manifest's last arrival and is not covered.

    An arrival of a worker whose clock is ahead is read like any other, but does not settle what comes before it: else
    one wrong clock would hide all that others write until its moment. A new arrival of what is covered is a doubt.
    """
    arrivals = list(archive.arrivals(since(manifest, now)))
    covered = manifest.coverage.conversations
    named = dict.fromkeys(a.conversation for a in arrivals if a.n >= covered.get(a.conversation, 0))
    last = max((a.key for a in arrivals if a.moment <= now), default="")
    handled = manifest.coverage.arrivals
    new = dict.fromkeys((a.conversation, a.n) for a in arrivals if handled and a.key > handled)
    doubts = tuple(Doubt(c, n) for c, n in new if n < covered.get(c, 0))
    return replace(_read(archive, covered, named, last if last > handled else ""), doubts=doubts)


def by_listing(archive: Archive, manifest: Manifest) -> Pending:
    """Returns what the whole archive holds and the manifest does not cover, whether an arrival tells of it or not.

    A conversation is a doubt when the number of its last block does not tell that it ends where the coverage does. An
    archive without any conversation is no older one: it is gone, and the index, its last witness, is left as it is.
    """
    covered = manifest.coverage.conversations
    heads = dict(archive.heads())
    named = [conversation for conversation, last in heads.items() if last >= covered.get(conversation, 0)]
    ends = ((c, heads.get(c), n) for c, n in covered.items() if heads)
    doubts = tuple(Doubt(c, last, last=True) for c, last, n in ends if last is None or last + 1 < n)
    return replace(_read(archive, covered, named, ""), doubts=doubts)


def batches(pending: Pending, passages_max: int) -> Iterator[Batch]:
    """Yields the blocks in batches of about `passages_max` passages; the last one settles the arrivals."""
    gathered: list[Block] = []
    count = 0
    for block in pending.blocks:
        gathered.append(block)
        count += block.passages
        if count >= passages_max:
            yield _batch(gathered, "")
            gathered, count = [], 0
    if gathered or pending.arrivals:
        yield _batch(gathered, pending.arrivals)


def _read(archive: Archive, covered: Mapping[str, int], named: Iterable[str], last: str) -> Pending:
    blocks: list[Block] = []
    unreadable: list[str] = []
    entries = 0
    for conversation in named:
        if entries >= ENTRIES_AT_ONCE:
            return Pending(tuple(blocks), "", more=True, unreadable=tuple(unreadable))
        try:
            found = _blocks(archive, conversation, covered.get(conversation, 0))
        except (Damaged, Missing, BadId) as error:
            unreadable.append(str(error))
            continue
        blocks += [_block(conversation, b) for b in found]
        entries += sum(map(len, found))
    return Pending(tuple(blocks), last, more=False, unreadable=tuple(unreadable))


def _blocks(archive: Archive, conversation: str, begin: int) -> list[tuple[Entry, ...]]:
    """Returns the blocks from `begin` on; an archive put back from a copy may have other blocks."""
    found = archive.blocks(conversation, begin)
    if found and found[0][0].n != begin:
        raise Strayed(f"{conversation}: the index ends at {begin}, within the block {found[0][0].n}")
    return found


def _block(conversation: str, entries: tuple[Entry, ...]) -> Block:
    saids = tuple(s for e in entries if (s := said_from(conversation, e)))
    marks = tuple(m for e in entries if (m := mark_from(conversation, e)))
    count = sum(len(passages(s.text)) for s in saids)
    return Block(conversation, entries[0].n, entries[-1].n + 1, saids, marks, count)


def _batch(blocks: list[Block], arrivals: str) -> Batch:
    begins: dict[str, int] = {}
    ends: dict[str, int] = {}
    for block in blocks:
        begins.setdefault(block.conversation, block.begin)
        ends[block.conversation] = block.end
    saids = tuple(s for b in blocks for s in b.saids)
    return Batch(saids, tuple(m for b in blocks for m in b.marks), begins, ends, arrivals)
