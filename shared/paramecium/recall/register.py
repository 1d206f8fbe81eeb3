"""What a segment tells of its conversations besides words: marks, links, and where each begins and ends.

Invariant: it is worked out once a segment and kept as long as the segment is live, however often the view changes.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache

from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.recall.talk import Link, title_of

LINKS_KEPT = 32
_UNDATED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Ends:
    """Is where a conversation, or what a segment holds of it, begins and ends; `title` is that of its first words."""

    messages: int
    first_n: int
    first_at: str
    title: str
    last_n: int
    last_at: str

    @property
    def moment(self) -> datetime:
        """Returns when the last message was said, to be sorted by; a moment without offset counts as UTC."""
        try:
            at = datetime.fromisoformat(self.last_at)
            return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            return _UNDATED


class Register:
    """Tells of one segment; threads may share it."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.marks: dict[str, list[Mark]] = {}
        for mark in segment.marks:
            self.marks.setdefault(mark.conversation, []).append(mark)
        self.links: Callable[[str], list[Link]] = lru_cache(LINKS_KEPT)(segment.ids_of)

    def holds(self, conversation: str) -> bool:
        """Tells whether the segment has a message or a mark of the conversation."""
        return conversation in self.marks or bool(self.segment.messages_of(conversation))

    @cached_property
    def ends(self) -> dict[str, Ends]:
        """Returns the ends of each conversation; the texts are read once, in their order."""
        out: dict[str, Ends] = {}
        for conversation in self.segment.conversations:
            within = self.segment.messages_of(conversation)
            if within:
                first, last = (self.segment.said(m) for m in (within[0], within[-1]))
                out[conversation] = Ends(len(within), first.n, first.at, title_of((), first.text), last.n, last.at)
        return out


class Registers:
    """Keeps the registers of the segments that are live."""

    def __init__(self) -> None:
        self._kept: dict[str, Register] = {}
        self._lock = threading.Lock()

    def of(self, segments: Sequence[Segment]) -> tuple[Register, ...]:
        """Returns the registers of the segments, in their order, and forgets all others."""
        with self._lock:
            self._kept = {s.ulid: self._kept.get(s.ulid) or Register(s) for s in segments}
            return tuple(self._kept.values())


def ends_of(said: Said) -> Ends:
    """Returns the ends of a conversation as far as one message tells them."""
    return Ends(1, said.n, said.at, title_of((), said.text), said.n, said.at)


def joined(parts: Iterable[tuple[str, Ends]]) -> dict[str, Ends]:
    """Returns the ends of each conversation over all its parts, which have no message in common."""
    out: dict[str, Ends] = {}
    for conversation, ends in parts:
        other = out.get(conversation)
        out[conversation] = ends if other is None else _both(other, ends)
    return out


def _both(a: Ends, b: Ends) -> Ends:
    first, last = (a if a.first_n < b.first_n else b), (a if a.last_n > b.last_n else b)
    return Ends(a.messages + b.messages, first.first_n, first.first_at, first.title, last.last_n, last.last_at)
