"""What a small model is asked, and the JSON array it answers with.

Knows how words are handed over as data, between marks that do not occur in them, and what of an answer is read. Pure.
Invariant: nothing is repaired: what is no JSON array is no answer.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

_SPACE: Final = "\ufeff"


class Question(NamedTuple):
    """Is one call of a small model: the instruction, and the text it is about."""

    system: str
    text: str


class Answer(NamedTuple):
    """Is what was read of an answer: the items of its array, and `fault`.

    `fault` is empty, `prose` (words stood around the array, or there was none), `half_json` (it does not end) or
    `bad_json` (it is none); with the last two there are no items.
    """

    items: tuple[Any, ...] = ()
    fault: str = ""

    @property
    def is_whole(self) -> bool:
        """Tells whether the answer came whole: an array that was read, or words alone."""
        return self.fault not in ("half_json", "bad_json")


def mark_for(texts: Sequence[str]) -> str:
    """Returns a mark that occurs in none of the texts; the same texts get the same one."""
    raise NotImplementedError


def first_array(answer: str) -> Answer:
    """Returns the items of the array that begins at the answer's first `[`."""
    raise NotImplementedError
