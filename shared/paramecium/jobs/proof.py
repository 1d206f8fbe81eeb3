"""The proof of the index: each message of the archive stands in it once, character for character.

Invariant: a message that the manifest covers and no segment gives back as it was said is a problem; one that is not
covered yet, or not in the full text yet, waits.
"""

from collections.abc import Callable

from paramecium.errors import Damaged, KeyMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Manifest, SegmentName
from paramecium.index.passages import passages
from paramecium.index.said import Said
from paramecium.index.segment import Segment
from paramecium.jobs.indexer import Indexer
from paramecium.recall.views import open_fulltext

PROBE_EVERY = 50
PROBE_CHARS = 4
CANDIDATES_MAX = 1_000_000


class IndexProof:
    """Compares messages with segments and full text, one by one."""

    def __init__(self, indexer: Indexer, wrong: Callable[[str], None]) -> None:
        self._indexer, self._wrong = indexer, wrong
        self.passages = 0
        self.waiting = 0
        self._met = 0
        self._manifest = self._read_manifest()
        self._segments = [s for s in (self._open(name) for name in self._manifest.segments) if s]
        self._damaged = len(self._segments) < len(self._manifest.segments)
        self._fulltext = self._open_fulltext()
        self._in_fulltext = self._fulltext.places() if self._fulltext else frozenset()

    def message(self, said: Said) -> None:
        """Compares one message of the archive with what the index holds of it."""
        if said.n >= self._manifest.coverage.conversations.get(said.conversation, 0):
            self.waiting += 1
            return
        self._in_segments(said)
        self._in_text(said)

    def strangers(self) -> None:
        """Notes messages that the index holds and the archive does not, or holds twice."""
        held = sum(len(s.conv) for s in self._segments)
        if held != self._met and not self._damaged:
            self._wrong(f"the index holds {held} messages where the archive has {self._met} of them")

    def _in_segments(self, said: Said) -> None:
        where = f"{said.conversation} message {said.n} ({said.id})"
        holding = [(s, m) for s in self._segments if (m := s.find(said.conversation, said.n)) is not None]
        self._met += len(holding)
        if not holding:
            if not self._damaged:
                self._wrong(f"{where} is covered and in no segment")
            return
        try:
            for segment, m in holding:
                self._same(segment, m, said, where)
        except Damaged as error:
            self._wrong(f"{where}: {error}")

    def _same(self, segment: Segment, m: int, said: Said, where: str) -> None:
        if segment.said(m) != said:
            self._wrong(f"{where} is another in segment {segment.ulid} than it was said")
        rows = segment.passages_of(m)
        spans = tuple((int(segment.start[r]), int(segment.end[r])) for r in rows)
        if spans != passages(said.text):
            self._wrong(f"{where} is cut in another way in segment {segment.ulid}")
        self.passages += len(rows)

    def _in_text(self, said: Said) -> None:
        if self._fulltext is None or not self._fulltext.covers(said.conversation, said.n):
            self.waiting += 1
            return
        place = (said.conversation, said.n)
        if place not in self._in_fulltext:
            self._wrong(f"{said.conversation} message {said.n} ({said.id}) is not in the full text that covers it")
        elif self._met % PROBE_EVERY == 0 and said.text:
            self._probe(self._fulltext, said)

    def _probe(self, fulltext: FullText, said: Said) -> None:
        """Now and then a message's own words are looked for, as a person would."""
        found = fulltext.candidates(said.text[:PROBE_CHARS], limit=CANDIDATES_MAX, conversation=said.conversation)
        if (said.conversation, said.n) not in set(found):
            self._wrong(f"{said.conversation} message {said.n} ({said.id}) is not found in the full text by its words")

    def _read_manifest(self) -> Manifest:
        try:
            return self._indexer.standing().manifest
        except Damaged as error:
            self._wrong(str(error))
            return Manifest()

    def _open(self, name: SegmentName) -> Segment | None:
        try:
            return self._indexer.cache.open(name)
        except (Damaged, KeyMissing) as error:
            self._wrong(str(error))
            return None

    def _open_fulltext(self) -> FullText | None:
        named = self._manifest.fulltext
        try:
            return open_fulltext(self._indexer.store, named, self._indexer.cache.folder) if named else None
        except (Damaged, KeyMissing) as error:
            self._wrong(str(error))
            return None
