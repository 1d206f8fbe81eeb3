"""What a small model is asked, and the JSON array it answers with.

Knows how words are handed over as data, between marks that do not occur in them, and what of an answer is read. Pure.
Invariant: nothing is repaired: what is no JSON array is no answer.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from paramecium.messages import dump_json

_MARK_CHARS: Final = 8
_DIGEST_CHARS: Final = 64
_DECODER: Final = json.JSONDecoder()
# A JSON string, whole or cut off, or one bracket; possessive, so that the scan is linear.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]]', re.DOTALL)
_BLANK: Final = "\ufeff"


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
    """Returns a mark that occurs in none of the texts; the same texts get the same one.

    It is § and as many digits of the texts' sha256 as it takes, at least 8: whoever wrote a text could not know them.
    """
    digest = hashlib.sha256(dump_json(list(texts))).hexdigest()
    marks = (f"§{digest[:size]}" for size in range(_MARK_CHARS, _DIGEST_CHARS))
    return next((mark for mark in marks if not any(mark in text for text in texts)), f"§{digest}")


def stamp(at: str) -> str:
    """Returns YYYY-MM-DD HH:MM of an ISO 8601 moment in its own offset, empty for what is none."""
    try:
        return datetime.fromisoformat(at).isoformat(" ", "minutes")[:16]
    except ValueError:
        return ""


def first_array(answer: str) -> Answer:
    """Returns the items of the array that begins at the answer's first `[`, read by Python's own JSON decoder.

    It takes NaN and Infinity for numbers, and of a key that stands twice the last value.
    """
    at = answer.find("[")
    if at < 0:
        return Answer(fault="prose")
    try:
        items, end = _DECODER.raw_decode(answer, at)
    except (ValueError, RecursionError):  # a number of more digits than Python reads is a plain ValueError
        return Answer(fault="bad_json" if _closes(answer, at) else "half_json")
    around = (answer[:at] + answer[end:]).replace(_BLANK, "").strip()
    return Answer(tuple(items), "prose" if around else "")


def _closes(answer: str, at: int) -> bool:
    """Tells whether the bracket at a position is closed again, brackets inside strings left aside."""
    depth = 0
    for match in _BRACKETS.finditer(answer, at):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if depth == 0:
            return True
    return False
