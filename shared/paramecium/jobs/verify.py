"""Verify: everything that stands is read and compared with what was said.

Knows what must be true of archive and index together; changes nothing. Invariant: words that wait to be indexed are a
number, everything that is not as it should be is a sentence naming its key or id.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from paramecium.archive.heads import get_head
from paramecium.archive.images import get_image
from paramecium.errors import BadId, Damaged, Missing
from paramecium.index.said import said_from
from paramecium.jobs import garbage
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.proof import IndexProof
from paramecium.messages import Entry, Json
from paramecium.store import keys

PROBLEMS_MAX = 1000


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Counts messages and passages, what waits for the index, and says what is wrong."""

    entries: int
    passages: int
    waiting: int
    problems: tuple[str, ...]

    def to_json(self) -> Json:
        """Returns the form `--json` prints."""
        problems = list(self.problems)
        return {"entries": self.entries, "passages": self.passages, "waiting": self.waiting, "problems": problems}


@dataclass
class _Notes:
    """Gathers what is wrong, up to a bound, and which canonical objects the entries name."""

    problems: list[str] = field(default_factory=list)
    more: int = 0
    heads: set[str] = field(default_factory=set)
    images: dict[str, Json] = field(default_factory=dict)
    blocks: set[tuple[str, int]] = field(default_factory=set)

    def wrong(self, problem: str) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(problem)
        else:
            self.more += 1

    def all(self) -> tuple[str, ...]:
        return (*self.problems, *([f"and {self.more} more"] if self.more else []))


def verify(indexer: Indexer) -> VerifyReport:
    """Returns what is right and wrong; raises StoreUnavailable only."""
    notes = _Notes()
    proof = IndexProof(indexer, notes.wrong)
    entries = 0
    conversations = list(indexer.archive.heads())
    for done, (conversation, _) in enumerate(conversations):
        indexer.progress(done, len(conversations))
        for entry in _conversation(indexer, conversation, notes):
            said = said_from(conversation, entry)
            if said is not None:
                entries += 1
                proof.message(said)
    proof.strangers()
    _canonical(indexer, notes)
    _arrivals(indexer, notes)
    _orphans(indexer, notes)
    return VerifyReport(entries, proof.passages, proof.waiting, notes.all())


def _conversation(indexer: Indexer, conversation: str, notes: _Notes) -> Iterator[Entry]:
    """Yields the entries of a conversation that can be read, noting what is wrong with their links."""
    try:
        blocks = indexer.archive.blocks(conversation)
    except (Damaged, Missing) as error:
        notes.wrong(str(error))
        return
    known: set[str] = set()
    for block in blocks:
        notes.blocks.add((conversation, block[0].n))
        for entry in block:
            if entry.id in known:
                notes.wrong(f"{conversation}: two entries have the id {entry.id}")
            if entry.kind == "message" and entry.parent is not None and entry.parent not in known:
                notes.wrong(f"{conversation}: entry {entry.id} follows {entry.parent}, which does not stand before it")
            known.add(entry.id)
            notes.heads |= {entry.head} if entry.head else set()
            notes.images |= {str(i.get("sha256")): i for i in entry.images}
            yield entry


def _canonical(indexer: Indexer, notes: _Notes) -> None:
    store, life = indexer.store, indexer.life
    _each(notes, (partial(get_head, store, life, head) for head in sorted(notes.heads)))
    _each(notes, (partial(get_image, store, life, image) for image in notes.images.values()))


def _each(notes: _Notes, reads: Iterator[Callable[[], object]]) -> None:
    for read in reads:
        try:
            read()
        except (Damaged, Missing) as error:
            notes.wrong(str(error))


def _arrivals(indexer: Indexer, notes: _Notes) -> None:
    for key in indexer.store.list(keys.arrivals(indexer.life)):
        try:
            arrival = keys.read_arrival(key)
        except BadId as error:
            notes.wrong(str(error))
            continue
        if (arrival.conversation, arrival.n) not in notes.blocks:
            notes.wrong(f"{key} tells of a block that does not stand")


def _orphans(indexer: Indexer, notes: _Notes) -> None:
    try:
        found = garbage.orphans(indexer)
    except Damaged as error:
        notes.wrong(str(error))
        return
    for key in found:
        notes.wrong(f"{key} is named by no manifest; `paramecium fts` clears it")
