"""The proof of the index: each message of the archive stands in it once, character for character.

Invariant: a message that the manifest covers and no segment gives back as it was said is a problem; one that is not
covered yet, or not in the full text yet, waits.
"""

from collections import Counter
from collections.abc import Callable

from paramecium.errors import Damaged, KeyMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Manifest, SegmentName
from paramecium.index.passages import passages
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.vault import PREFIX
from paramecium.recall.views import open_fulltext

PROBE_EVERY = 50
PROBE_CHARS = 4
CANDIDATES_MAX = 1_000_000


class IndexProof:
    """Compares messages and marks with segments and full text, one conversation after the other.

    `wrong` is told what is wrong with the index, `differs` where archive and index give other words.
    """

    def __init__(self, indexer: Indexer, wrong: Callable[[str], None], differs: Callable[[str], None]) -> None:
        self._indexer, self._wrong, self._differs = indexer, wrong, differs
        self.passages = 0
        self.waiting = 0
        self._checked = 0
        self.manifest = self._read_manifest()
        self._segments = [s for s in (self._open(name) for name in self.manifest.segments) if s]
        self._damaged = len(self._segments) < len(self.manifest.segments)
        self._fulltext = self._open_fulltext()
        self._in_fulltext = self._fulltext.places() if self._fulltext else frozenset()
        self._marks: dict[str, set[Mark]] = {}
        for mark in (mark for segment in self._segments for mark in segment.marks):
            self._marks.setdefault(mark.conversation, set()).add(mark)
        self._ends = self.manifest.covered
        self._covered = dict(self.manifest.coverage.conversations)
        self._held = self._counted()
        self._texts = Counter(conversation for conversation, _ in self._in_fulltext)

    def message(self, said: Said) -> None:
        """Compares one message of the archive with what the index holds of it."""
        where = f"{said.conversation} message {said.n} ({said.id})"
        holding = [(s, m) for s in self._segments if (m := s.find(said.conversation, said.n)) is not None]
        self._held[said.conversation] -= len(holding)
        if not self._covers(said.conversation, said.n):
            self.waiting += 1
            if holding:
                self._wrong(f"{where} is in segment {holding[0][0].ulid}, and the manifest does not cover it")
            return
        if len(holding) > 1:
            self._wrong(f"{where} is in the index {len(holding)} times")
        if not holding and not self._damaged:
            self._wrong(f"{where} is covered and in no segment")
        for segment, m in holding:
            self._same(segment, m, said, where)
        self._in_text(said, where)

    def mark(self, mark: Mark) -> None:
        """Compares a title, star, project or choice of the archive with the marks of the index."""
        held = self._marks.get(mark.conversation, set())
        if self._covers(mark.conversation, mark.n) and mark not in held and not self._damaged:
            self._wrong(f"{mark.conversation} {mark.kind} {mark.n} is covered and in no segment")
        held.discard(mark)

    def conversation(self, conversation: str, end: int) -> None:
        """Notes what the index holds of a conversation besides what was compared; `end` is its next number."""
        held, texts = self._held.pop(conversation, 0), self._texts.pop(conversation, 0)
        for where, count, say in (("segments", held, self._differs), ("full text", texts, self._wrong)):
            if count > 0:
                say(f"{conversation}: messages in the {where} that the archive does not have: {count}")
        for mark in sorted(self._marks.pop(conversation, ()), key=lambda mark: (mark.n, mark.kind, mark.value)):
            self._differs(f"{conversation}: the archive has no {mark.kind} {mark.n} as the segments have it")
        if (covered := self._covered.pop(conversation, 0)) > end:
            self._differs(f"{conversation}: the index covers {covered} entries where the archive has {end}")

    def held(self, conversation: str) -> Said | None:
        """Returns the first message of a conversation as a segment holds it, or None."""
        for segment in self._segments:
            if (m := segment.find(conversation, 0)) is not None:
                return segment.said(m)
        return None

    def unreadable(self, conversation: str) -> None:
        """Leaves out a conversation that cannot be read in the archive, or that is dead."""
        for known in (self._held, self._texts, self._covered, self._marks):
            known.pop(conversation, None)

    def end(self) -> None:
        """Notes what the index holds of conversations that the archive does not have, and closes the full text.

        A full text older than the segments may know earlier versions of documents that these no longer hold.
        """
        stale = self.manifest.fulltext and set(self.manifest.fulltext.segments) != {s.ulid for s in self._segments}
        if stale:
            self._texts = Counter({c: count for c, count in self._texts.items() if not c.startswith(PREFIX)})
        for conversation in sorted({*+self._held, *+self._texts, *self._covered, *self._marks}):
            self._differs(f"{conversation} is in the index and not in the archive")
        if self._fulltext is not None:
            self._fulltext.close()

    def _covers(self, conversation: str, n: int) -> bool:
        return n < self._ends.get(conversation, 0)

    def _counted(self) -> Counter[str]:
        held: Counter[str] = Counter()
        for segment in self._segments:
            held.update({c: len(segment.messages_of(c)) for c in segment.conversations})
        return held

    def _same(self, segment: Segment, m: int, said: Said, where: str) -> None:
        try:
            if segment.said(m) != said:
                self._differs(f"{where} is another in segment {segment.ulid} than it was said")
        except Damaged as error:
            self._wrong(f"{where}: {error}")
        rows = segment.passages_of(m)
        spans = tuple((int(segment.start[r]), int(segment.end[r])) for r in rows)
        if spans != passages(said.text):
            self._wrong(f"{where} is cut in another way in segment {segment.ulid}")
        self.passages += len(rows)

    def _in_text(self, said: Said, where: str) -> None:
        if self._fulltext is None or not self._fulltext.covers(said.conversation, said.n):
            self.waiting += 1
            return
        self._checked += 1
        self._texts[said.conversation] -= (said.conversation, said.n) in self._in_fulltext
        if (said.conversation, said.n) not in self._in_fulltext:
            self._wrong(f"{where} is not in the full text that covers it")
        elif self._checked % PROBE_EVERY == 1 and said.text:
            self._probe(self._fulltext, said, where)

    def _probe(self, fulltext: FullText, said: Said, where: str) -> None:
        """Now and then a message's own words are looked for, as a person would."""
        place, words = (said.conversation, said.n), said.text[:PROBE_CHARS]
        try:
            found = place in fulltext.candidates(words, limit=CANDIDATES_MAX, conversation=said.conversation)
        except Damaged as error:
            self._wrong(f"{where}: {error}")
            return
        if not found:
            self._wrong(f"{where} is not found in the full text by its words")

    def _read_manifest(self) -> Manifest:
        try:
            return self._indexer.standing().manifest
        except Damaged as error:
            self._wrong(str(error))
            return Manifest()

    def _open(self, name: SegmentName) -> Segment | None:
        try:
            segment = self._indexer.cache.open(name)
        except (Damaged, KeyMissing) as error:
            self._wrong(str(error))
            return None
        if (segment.model, segment.passages_version) != (self.manifest.model, self.manifest.passages_version):
            self._wrong(f"segment {name.ulid} is of the model {segment.model}, the index of {self.manifest.model}")
        return segment

    def _open_fulltext(self) -> FullText | None:
        named = self.manifest.fulltext
        if named is None:
            return None
        try:
            fulltext = open_fulltext(self._indexer.store, named, self._indexer.cache.folder)
        except (Damaged, KeyMissing) as error:
            self._wrong(str(error))
            return None
        if (count := len(fulltext.places())) != named.messages:
            self._wrong(f"{named.file.key} holds {count} messages, and the manifest says {named.messages}")
        return fulltext
