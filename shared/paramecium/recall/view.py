"""What can be found at this moment: the segments a manifest names, its full text, and the entries after both.

A view is frozen: a new manifest or a new arrival makes a new one. Invariant: every message is seen once, whether it
stands in a segment or is still fresh.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from paramecium.errors import ConversationMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Manifest
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.recall.ranking import Place
from paramecium.recall.register import Ends, Register, ends_of, joined
from paramecium.recall.talk import Link, Talk, Talks, title_of
from paramecium.recall.young import Young


@dataclass(frozen=True, slots=True)
class Fresh:
    """Is what has arrived and is in no segment yet; `waiting` counts the blocks of it that are too many to be here."""

    saids: tuple[Said, ...] = ()
    marks: tuple[Mark, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Index:
    """Is what a manifest names, loaded; `damaged` when something it names could not be."""

    manifest: Manifest
    registers: tuple[Register, ...] = ()
    fulltext: FullText | None = None
    damaged: bool = False

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Returns the segments that could be loaded, oldest first."""
        return tuple(r.segment for r in self.registers)


class View:
    """Reads messages, titles and paths, wherever they stand; threads may share it.

    `dead` are the earlier versions of documents that segments and full text still hold: nothing of them is found.
    """

    def __init__(self, index: Index, fresh: Fresh, young: Sequence[Young], talks: Talks) -> None:
        self.manifest = index.manifest
        self.segments = index.segments
        self.fulltext = index.fulltext
        self.dead = frozenset(index.manifest.dead)
        self.damaged = index.damaged
        self.fresh = fresh
        self.young = tuple(young)
        self._registers = index.registers
        self._talks = talks
        self._fresh_by_place: dict[Place, Said] = {(s.conversation, s.n): s for s in fresh.saids}

    def said(self, place: Place) -> Said:
        """Returns a message, verbatim; raises ConversationMissing."""
        if place in self._fresh_by_place:
            return self._fresh_by_place[place]
        segment, m = self._standing(place)
        return segment.said(m)

    def text(self, place: Place) -> str:
        """Returns the words of a message, verbatim; raises ConversationMissing."""
        if place in self._fresh_by_place:
            return self._fresh_by_place[place].text
        segment, m = self._standing(place)
        return segment.text(m)

    def day(self, place: Place) -> int | None:
        """Returns the ordinal of a message's day without reading its words, None when it is not here."""
        if place in self._fresh_by_place:
            return self._fresh_by_place[place].day
        try:
            segment, m = self._standing(place)
        except ConversationMissing:
            return None
        return int(segment.day[m])

    @cached_property
    def conversations(self) -> frozenset[str]:
        """Returns the ids of all conversations, and of the documents as they are now."""
        fresh = frozenset(s.conversation for s in self.fresh.saids)
        return fresh.union(*(s.conversations for s in self.segments)) - self.dead

    @cached_property
    def ends(self) -> dict[str, Ends]:
        """Returns where each conversation begins and ends; a document is none."""
        documents = self.dead.union(name.conversation for name in self.manifest.vault.values())
        fresh = ((s.conversation, ends_of(s)) for s in self._fresh_by_place.values())
        standing = (pair for r in self._registers for pair in r.ends.items() if pair[0] not in documents)
        return joined([*standing, *fresh])

    def talk(self, conversation: str) -> Talk:
        """Returns how the conversation's messages hang together; raises ConversationMissing."""
        holding = [r for r in self._registers if r.holds(conversation)]
        fresh = [s for s in self.fresh.saids if s.conversation == conversation]
        marks = self.marks(conversation)
        made_of = (*(r.segment.ulid for r in holding), *(s.n for s in fresh), *(m.n for m in marks))
        links = _links(holding, conversation, fresh)
        return self._talks.of(conversation, made_of, lambda: Talk(conversation, links, marks))

    def title(self, talk: Talk) -> str:
        """Returns the title given last, or the beginning of the first message."""
        renamed = title_of(self.marks(talk.conversation), "")
        return renamed or title_of((), self.said((talk.conversation, talk.numbers[0])).text)

    def marks(self, conversation: str) -> list[Mark]:
        """Returns the conversation's marks in order, each once."""
        found = {m.n: m for r in self._registers for m in r.marks.get(conversation, ())}
        found |= {m.n: m for m in self.fresh.marks if m.conversation == conversation}
        return [found[n] for n in sorted(found)]

    def _standing(self, place: Place) -> tuple[Segment, int]:
        for segment in self.segments:
            m = segment.find(*place)
            if m is not None:
                return segment, m
        raise ConversationMissing(f"no message {place[1]} in conversation {place[0]}")


def _links(registers: Iterable[Register], conversation: str, fresh: Iterable[Said]) -> Iterator[Link]:
    for register in registers:
        yield from register.links(conversation)
    yield from ((s.n, s.id, s.parent) for s in fresh)
