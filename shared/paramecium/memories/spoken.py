"""Words that were said, as taking notes sees them: whose they are, when they were said, and where they stand.

Knows which entries a note may stand on; knows nothing of stores. Pure.
Invariant: `text` is the entry's own, unchanged, and of nothing that was injected beside it.
"""

from typing import NamedTuple

from paramecium.index.said import said_from
from paramecium.messages import Entry


class Spoken(NamedTuple):
    """Is one message: number `n` of a conversation, its id, who said it, when (ISO 8601 or empty), and the words."""

    conversation: str
    message: str
    n: int
    role: str
    speaker: str
    at: str
    text: str


def spoken_from(conversation: str, entry: Entry) -> Spoken | None:
    """Returns the words of an entry, None when nobody said any in it: an echo, a system message, a tombstone, a mark.

    A message without a visible character (pictures alone) has no words to quote and is None too.
    """
    said = said_from(conversation, entry)
    if said is None or not said.text.strip():
        return None
    return Spoken(conversation, said.id, said.n, said.role, said.speaker, said.at, said.text)
