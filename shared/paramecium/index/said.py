"""What the index keeps of an archive's entries: messages as they were said, and the marks that steer them.

Knows which entries are words of a person or the AI; knows nothing of segments or vectors. Pure.
Invariant: a `Said` holds the entry's text unchanged, and of nothing that was injected beside it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paramecium.messages import Entry

MARKS: Final = ("rename", "star", "project", "choose")
LINK: Final = "link"


@dataclass(frozen=True, slots=True)
class Said:
    """Is one message; `day` is the ordinal of the date `at` names in its own offset, 0 when unknown."""

    conversation: str
    n: int
    id: str
    parent: str | None
    role: str
    speaker: str
    at: str
    day: int
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Is an entry that steers a conversation's title, place or path; `kind` is one of MARKS, or LINK.

    Of a message that nobody said (a system message, a tombstone, an echo) a link is kept: its id, a space, and its
    parent's id, so that what hangs on it is known to hang on what stands before it.
    """

    conversation: str
    n: int
    kind: str
    value: str


def said_from(conversation: str, entry: Entry) -> Said | None:
    """Returns the message of an entry, or None when the person or the AI said nothing in it.

    An entry whose source has `echo` true is quotation, not something said: found, it would crowd out the words it
    repeats.
    """
    if not entry.is_message or entry.role is None or entry.source.get("echo") is True:
        return None
    return Said(
        conversation=conversation,
        n=entry.n,
        id=entry.id,
        parent=entry.parent,
        role=entry.role,
        speaker=entry.speaker,
        at=entry.at,
        day=day_of(entry.at),
        text=entry.text,
    )


def mark_from(conversation: str, entry: Entry) -> Mark | None:
    """Returns the mark of an entry, or None when it is none."""
    if entry.kind in MARKS:
        return Mark(conversation, entry.n, entry.kind, entry.text)
    if said_from(conversation, entry) is not None:
        return None
    return Mark(conversation, entry.n, LINK, f"{entry.id} {entry.parent or ''}")


def day_of(at: str) -> int:
    """Returns the ordinal of the date an ISO 8601 moment names in its own offset; 0 for what names none."""
    try:
        return datetime.fromisoformat(at).toordinal()
    except ValueError:
        return 0
