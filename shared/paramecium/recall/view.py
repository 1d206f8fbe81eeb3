"""What can be found at this moment: the segments a manifest names, its full text, and the entries after both.

A view is frozen: a new manifest or a new arrival makes a new one. Invariant: every message is seen once, whether it
stands in a segment or is still fresh.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from paramecium.errors import ConversationMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Manifest
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.messages import chain
from paramecium.recall.ranking import Place
from paramecium.recall.young import Young

TITLE_CHARS_MAX = 30


@dataclass(frozen=True, slots=True)
class Fresh:
    """Is what has arrived and is in no segment yet."""

    saids: tuple[Said, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """Is what a manifest names, loaded; `damaged` when something it names could not be."""

    manifest: Manifest
    segments: tuple[Segment, ...] = ()
    fulltext: FullText | None = None
    damaged: bool = False


class View:
    """Reads messages, titles and paths, wherever they stand."""

    def __init__(
        self,
        index: Index,
        fresh: Fresh,
        young: Sequence[Young],
    ) -> None:
        self.manifest = index.manifest
        self.segments = index.segments
        self.fulltext = index.fulltext
        self.damaged = index.damaged
        self.fresh = fresh
        self.young = tuple(young)
        self._talks: dict[str, Talk] = {}
        self._lock = threading.Lock()

    @cached_property
    def _fresh_by_place(self) -> dict[Place, Said]:
        return {(s.conversation, s.n): s for s in self.fresh.saids}

    def said(self, place: Place) -> Said:
        """Returns a message, verbatim; raises ConversationMissing."""
        if place in self._fresh_by_place:
            return self._fresh_by_place[place]
        for segment in self.segments:
            m = segment.find(*place)
            if m is not None:
                return segment.said(m)
        raise ConversationMissing(f"no message {place[1]} in conversation {place[0]}")

    def day(self, place: Place) -> int | None:
        """Returns the ordinal of a message's day without reading its words, None when it is not here."""
        if place in self._fresh_by_place:
            return self._fresh_by_place[place].day
        for segment in self.segments:
            m = segment.find(*place)
            if m is not None:
                return int(segment.day[m])
        return None

    def conversations(self) -> list[str]:
        """Returns the ids of all conversations, sorted."""
        known = {s.conversation for s in self.fresh.saids} | {c for seg in self.segments for c in seg.conversations}
        return sorted(known)

    def talk(self, conversation: str) -> "Talk":
        """Returns what is known of one conversation; raises ConversationMissing."""
        with self._lock:
            talk = self._talks.get(conversation)
        if talk is None:
            talk = Talk(self, conversation)
            with self._lock:
                self._talks[conversation] = talk
        return talk

    def marks(self, conversation: str) -> list[Mark]:
        """Returns the conversation's marks in order, each once."""
        everywhere = [m for s in self.segments for m in s.marks] + list(self.fresh.marks)
        found = {m.n: m for m in everywhere if m.conversation == conversation}
        return [found[n] for n in sorted(found)]

    def links(self, conversation: str) -> Iterator[tuple[int, str, str | None]]:
        """Yields number, id and parent's id of each message, in no order."""
        for segment in self.segments:
            yield from segment.ids_of(conversation)
        for said in self.fresh.saids:
            if said.conversation == conversation:
                yield said.n, said.id, said.parent


class Talk:
    """Is one conversation as the index knows it: its numbers, its path, its title."""

    def __init__(self, view: View, conversation: str) -> None:
        self._view = view
        self.conversation = conversation
        links = sorted({n: (i, p) for n, i, p in view.links(conversation)}.items())
        if not links:
            raise ConversationMissing(f"no conversation {conversation}")
        self.numbers = [n for n, _ in links]
        self.number_of = {i: n for n, (i, _) in links}
        self._parents = self._joined(links)
        self._marks = view.marks(conversation)
        self.path = self._chain(self._leaf())
        self._on_path = frozenset(self.path)

    def _joined(self, links: Sequence[tuple[int, tuple[str, str | None]]]) -> dict[str, str | None]:
        """A parent the index does not hold (a system message, a tombstone) is bridged to the message before."""
        parents: dict[str, str | None] = {}
        before: str | None = None
        for _, (ident, parent) in links:
            parents[ident] = before if parent is not None and parent not in self.number_of else parent
            before = ident
        return parents

    def _leaf(self) -> str:
        chosen = [m for m in self._marks if m.kind == "choose" and m.value in self.number_of]
        newest = self.numbers[-1]
        if chosen and chosen[-1].n > newest:
            return chosen[-1].value
        return next(i for i, n in self.number_of.items() if n == newest)

    def _chain(self, leaf: str) -> tuple[int, ...]:
        return tuple(self.number_of[i] for i in chain(self._parents, leaf))

    def on_path(self, n: int) -> bool:
        """Tells whether message `n` lies on the conversation's path."""
        return n in self._on_path

    def chain_of(self, n: int) -> tuple[int, ...]:
        """Returns the path, or for a message off it the chain that leads to the newest message behind it."""
        if self.on_path(n):
            return self.path
        ident = next(i for i, number in self.number_of.items() if number == n)
        children: Mapping[str | None, str] = {p: i for i, p in self._parents.items()}
        leaf, seen = ident, {ident}
        while leaf in children and children[leaf] not in seen:
            leaf = children[leaf]
            seen.add(leaf)
        return self._chain(leaf)

    @property
    def title(self) -> str:
        """Returns the title given last, or the beginning of the first message."""
        renamed = [m.value for m in self._marks if m.kind == "rename"]
        if renamed and renamed[-1]:
            return renamed[-1]
        first = self._view.said((self.conversation, self.numbers[0])).text
        return first[:TITLE_CHARS_MAX].replace("\n", " ")
