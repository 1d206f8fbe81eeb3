"""Verify: everything that stands is read and compared with what was said.

Knows what must be true of archive and index together; changes nothing. Invariant: words that wait to be indexed are a
number, everything that is not as it should be is a sentence naming its key or id.

Two remedies: what is wrong with the index alone is mended by making it anew. Where a part of the archive is damaged or
gone, or the two differ in words, the archive is to be put back from a copy, and the index, its only other witness, is
not to be made anew before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from paramecium.archive import blocks as block_form
from paramecium.archive.heads import get_head
from paramecium.archive.images import get_image
from paramecium.errors import BadId, Damaged, KeyMissing, Missing
from paramecium.index.said import mark_from, said_from
from paramecium.jobs import garbage, vault_proof
from paramecium.jobs.answers import told
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.memory_proof import MemoryProof
from paramecium.jobs.proof import IndexProof
from paramecium.messages import Entry, Json
from paramecium.store import keys

PROBLEMS_MAX = 1000


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Counts messages, passages and memories, what waits for the index, and says what is wrong.

    `archive_problems` counts those of `problems` for which the archive is to be put back from a copy, before anything
    else; all others, `index_problems`, are mended by `paramecium rebuild`.
    """

    entries: int
    passages: int
    waiting: int
    problems: tuple[str, ...]
    archive_problems: int = 0
    index_problems: int = 0
    memories: int = 0

    def to_json(self) -> Json:
        """Returns the form `--json` prints."""
        problems = list(self.problems)
        return {"entries": self.entries, "passages": self.passages, "waiting": self.waiting, "problems": problems}


@dataclass
class _Notes:
    """Gathers what is wrong, up to a bound, and which canonical objects the entries name."""

    problems: dict[str, None] = field(default_factory=dict)
    more: int = 0
    of_archive: int = 0
    owners: dict[str, str] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    images: dict[tuple[str, str], Json] = field(default_factory=dict)
    blocks: set[tuple[str, int]] = field(default_factory=set)

    def archive_wrong(self, problem: str) -> None:
        self.of_archive += problem not in self.problems
        self.wrong(problem)

    def wrong(self, problem: str) -> None:
        if problem in self.problems:
            return
        if len(self.problems) < PROBLEMS_MAX:
            self.problems[problem] = None
        else:
            self.more += 1

    def all(self) -> tuple[str, ...]:
        return (*self.problems, *([f"and {self.more} more"] if self.more else []))


def verify(indexer: Indexer) -> VerifyReport:
    """Returns what is right and wrong; raises Stopped, StoreUnavailable only.

    Of `problems` at most 1,000 are sentences of their own, then one counts the rest.
    """
    notes = _Notes()
    proof = IndexProof(indexer, notes.wrong, notes.archive_wrong)
    # Before the archive: each message a memory stands on was there when the memory was taken.
    memories = MemoryProof(indexer.store, indexer.life, notes.archive_wrong)
    entries = 0
    conversations = list(indexer.archive.heads())
    for done, (conversation, _) in enumerate(conversations):
        indexer.progress(done, len(conversations))
        entries += _conversation(indexer, conversation, (proof, memories), notes)
    indexer.progress(len(conversations), len(conversations))
    vault_proof.prove(indexer, proof, notes.archive_wrong)
    proof.end()
    memories.end()
    _blocks(indexer, notes)
    _canonical(indexer, notes)
    _arrivals(indexer, notes)
    _index_objects(indexer, notes)
    of_index = len(notes.problems) + notes.more - notes.of_archive
    found = notes.all()
    return VerifyReport(entries, proof.passages, proof.waiting, found, notes.of_archive, of_index, memories.count)


def _conversation(indexer: Indexer, conversation: str, proofs: tuple[IndexProof, MemoryProof], notes: _Notes) -> int:
    """Returns how many messages a conversation has, after each was compared; 0 for one that cannot be read."""
    proof, memories = proofs
    try:
        blocks = indexer.archive.blocks(conversation)
    except (Damaged, Missing, BadId) as error:
        notes.archive_wrong(str(error))
        proof.unreadable(conversation)
        memories.unreadable(conversation)
        return 0
    if not blocks:
        notes.archive_wrong(f"{conversation} is listed in the archive and none of its blocks stands")
    count = 0
    for entry in _linked(conversation, blocks, notes):
        said, mark = said_from(conversation, entry), mark_from(conversation, entry)
        if said is not None:
            count += 1
            proof.message(said)
        if mark is not None:
            proof.mark(mark)
        memories.entry(conversation, entry)
    proof.conversation(conversation, blocks[-1][-1].n + 1 if blocks else 0)
    return count


def _linked(conversation: str, blocks: list[tuple[Entry, ...]], notes: _Notes) -> Iterator[Entry]:
    """Yields the entries, noting what is wrong with their links, and the heads and images they name."""
    known: set[str] = set()
    for block in blocks:
        notes.blocks.add((conversation, block[0].n))
        for entry in block:
            if entry.id in known:
                notes.archive_wrong(f"{conversation}: two entries have the id {entry.id}")
            elif (owner := notes.owners.setdefault(entry.id, conversation)) != conversation:
                notes.archive_wrong(f"{owner} and {conversation} both have an entry with the id {entry.id}")
            _entry(conversation, entry, known, notes)
            known.add(entry.id)
            yield entry


def _entry(conversation: str, entry: Entry, known: set[str], notes: _Notes) -> None:
    if entry.kind == "message" and entry.parent is not None and entry.parent not in known:
        follows = f"entry {entry.id} follows {entry.parent}, which does not stand before it"
        notes.archive_wrong(f"{conversation}: {follows}")
    if entry.kind == "message" and entry.role == "assistant" and entry.rounds and told(entry.rounds) != entry.text:
        notes.archive_wrong(f"{conversation}: the text of entry {entry.id} is not what its rounds say")
    notes.heads |= {entry.head} if entry.head else set()
    images = [i if isinstance(i, dict) else {} for i in entry.images]
    notes.images |= {(str(i.get("sha256")), str(i.get("ext"))): i for i in images}


def _blocks(indexer: Indexer, notes: _Notes) -> None:
    """Notes what stands among the blocks and is none; a block under another name would be words nobody reads."""
    for key in indexer.store.list(keys.conversations(indexer.life)):
        if block_form.number(key) is None:
            notes.archive_wrong(f"{key} is not the name of a block")


def _canonical(indexer: Indexer, notes: _Notes) -> None:
    store, life = indexer.store, indexer.life
    _each(notes.archive_wrong, (partial(get_head, store, life, head) for head in sorted(notes.heads)))
    _each(notes.archive_wrong, (partial(get_image, store, life, image) for image in notes.images.values()))


def _each(wrong: Callable[[str], None], reads: Iterator[Callable[[], object]]) -> None:
    for read in reads:
        try:
            read()
        except (Damaged, Missing, BadId) as error:
            wrong(str(error))


def _arrivals(indexer: Indexer, notes: _Notes) -> None:
    """Notes arrivals of no block; a block that was not read may have been written since, so the store is asked."""
    for key in indexer.store.list(keys.arrivals(indexer.life)):
        try:
            arrival = keys.read_arrival(key)
        except BadId as error:
            notes.archive_wrong(str(error))
            continue
        if (arrival.conversation, arrival.n) not in notes.blocks and not _stands(indexer, arrival):
            notes.archive_wrong(f"{key} tells of a block that does not stand")


def _stands(indexer: Indexer, arrival: keys.Arrival) -> bool:
    try:
        indexer.store.get(keys.block(indexer.life, arrival.conversation, arrival.n))
    except KeyMissing:
        return False
    return True


def _index_objects(indexer: Indexer, notes: _Notes) -> None:
    """Notes objects that a manifest names and that do not stand, or stand and are named by none."""
    try:
        standing = set(indexer.store.list(keys.index_objects(indexer.life)))
        for key, manifest in garbage.manifests(indexer).items():
            for name in manifest.objects():
                if name.key not in standing:
                    notes.wrong(f"{name.key} is named by {key} and does not stand")
            _each(notes.wrong, (partial(indexer.cache.open, segment) for segment in manifest.segments))
        found = garbage.orphans(indexer)
    except Damaged as error:
        notes.wrong(str(error))
        return
    for key in found:
        notes.wrong(f"{key} is named by no manifest; `paramecium fts` clears it")
