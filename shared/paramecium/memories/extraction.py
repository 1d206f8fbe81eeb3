"""Taking notes: what a small model is asked about a batch of messages, and what of its answer becomes a memory.

Pure. Invariant: a note stands on a quote that is in the messages, and says no number, date or Latin word that is not in
the batch; nothing is repaired, what does not hold is dropped and counted under a reason.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from paramecium.memories.batches import Batch
from paramecium.memories.events import Note
from paramecium.memories.questions import Question

ITEMS_MAX: Final = 5
CONTENT_CHARS_MAX: Final = 300

Noted = Mapping[tuple[str, str], Sequence[tuple[int, int]]]
"""The ranges (start, end) that earlier memories stand on, by (conversation, message id)."""

REASONS: Final = (
    "prose", "half_json", "bad_json", "too_many", "no_object", "no_content", "long_content", "no_quote", "quote_short",
    "quote_long", "not_quoted", "already", "unsupported", "about_prompt", "bad_date",
)  # fmt: skip


class Reading(NamedTuple):
    """Is what became of an answer: its notes, how much was dropped by reason, and whether the answer came whole.

    Two reasons drop no item: `prose` (words around the array) and `bad_date` (the note is kept without a date). An
    answer that is not `whole` (half_json, bad_json) has no notes: it was cut off, or is no JSON.
    """

    notes: tuple[Note, ...]
    dropped: Mapping[str, int]
    whole: bool


def ask(batch: Batch, *, language: str, person: str, ai: str) -> Question:
    """Returns the question about a batch, in the language "zh" or else in English."""
    raise NotImplementedError


def read_answer(answer: str, batch: Batch, *, noted: Noted, person: str = "", ai: str = "") -> Reading:
    """Returns the notes of an answer; `person` and `ai` are the names that `ask` showed."""
    raise NotImplementedError
