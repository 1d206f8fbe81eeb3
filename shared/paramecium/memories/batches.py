"""Batches: how many messages a small model reads at once, and how much of each.

Pure. Invariant: every new message is in exactly one batch, in order, or waits for a later one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from paramecium.memories.spoken import Spoken

NEW_MIN: Final = 4
NEW_MAX: Final = 30
OVERLAP: Final = 2
SHOWN_CHARS_MAX: Final = 12_000
HEAD_CHARS: Final = 2_000
TAIL_CHARS: Final = 1_000


class Batch(NamedTuple):
    """Is what one question is about: new messages of one conversation, and up to 2 that stand before them."""

    overlap: tuple[Spoken, ...]
    new: tuple[Spoken, ...]

    @property
    def conversation(self) -> str:
        """Returns the conversation's id."""
        return self.new[0].conversation

    @property
    def from_n(self) -> int:
        """Returns the number of the first new message."""
        return self.new[0].n

    @property
    def upto(self) -> int:
        """Returns the number behind the last new message: where the next batch begins."""
        return self.new[-1].n + 1

    @property
    def messages(self) -> tuple[Spoken, ...]:
        """Returns all messages shown, in order."""
        return self.overlap + self.new


class Excerpt(NamedTuple):
    """Is what is shown of a message: its first and last characters, and how many between them are not shown."""

    head: str
    left_out: int = 0
    tail: str = ""


def excerpt(text: str) -> Excerpt:
    """Returns what is shown of a text: all of it, or the first 2,000 and the last 1,000 characters."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return Excerpt(text)
    return Excerpt(text[:HEAD_CHARS], len(text) - HEAD_CHARS - TAIL_CHARS, text[-TAIL_CHARS:])


def batches(spoken: Sequence[Spoken], from_n: int, *, silent: bool) -> tuple[Batch, ...]:
    """Returns the batches of one conversation's messages (ascending) from number `from_n` on.

    Each has 4 to 30 new messages and shows 12,000 characters at most, with 1 new message at least: so long messages
    may make it fewer than 4. A rest of fewer than 4 waits until the conversation is `silent`.
    """
    out: list[Batch] = []
    at = next((i for i, said in enumerate(spoken) if said.n >= from_n), len(spoken))
    while at < len(spoken):
        overlap = tuple(spoken[max(at - OVERLAP, 0) : at])
        end = _end(spoken, at, SHOWN_CHARS_MAX - sum(map(_chars, overlap)))
        if end == len(spoken) and end - at < NEW_MIN and not silent:
            break
        out.append(Batch(overlap, tuple(spoken[at:end])))
        at = end
    return tuple(out)


def _end(spoken: Sequence[Spoken], at: int, chars: int) -> int:
    """Returns where the batch from position `at` ends: the first message always fits."""
    end, left = at + 1, chars - _chars(spoken[at])
    while end < len(spoken) and end - at < NEW_MAX and left >= _chars(spoken[end]):
        left -= _chars(spoken[end])
        end += 1
    return end


def _chars(said: Spoken) -> int:
    return min(len(said.text), HEAD_CHARS + TAIL_CHARS)
