"""Quotes: whether words stand in a message as they were said, and where.

Both sides are folded first, character by character. White space (all of Unicode's) is removed, and with it what has no
width and joins nothing: U+00AD, U+200B, U+200E, U+200F, U+202A to U+202E, U+2060, U+2066 to U+2069, U+FEFF. U+FF01 to
U+FF5E become ASCII. NUL and half a surrogate pair become U+FFFD, as in the copy a model was given (see
`messages.encodable`). Nothing else is the same as anything else: not case, not an accent, not a joiner (U+200C, U+200D)
or a variation selector, since these change what is seen. Knows nothing of models or stores. Pure.
Invariant: a quote that is found is given back as the message's own characters, never cutting what is seen as one.
"""

import hashlib
from typing import Final

from paramecium.index.passages import is_grapheme_boundary
from paramecium.memories.events import Note
from paramecium.memories.spoken import Spoken
from paramecium.messages import dump_json, whole

QUOTE_CHARS_MIN: Final = 10
QUOTE_CHARS_MAX: Final = 40
WHOLE_CHARS_MIN: Final = 4
_GRAPHEME_CHARS_MAX: Final = 16

_NO_WIDTH = (0xAD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF)
_FOLDED: Final[dict[int, int | None]] = {
    **{code: None for code in range(0x3001) if chr(code).isspace()},  # beyond U+3000 Unicode has no white space
    **dict.fromkeys(_NO_WIDTH),
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys((0, *range(0xD800, 0xE000)), 0xFFFD),
}


def fold(text: str) -> str:
    """Returns the text as quotes are compared; two halves of a surrogate pair that stand apart count as one."""
    return whole(text).translate(_FOLDED)


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Returns (start, end) of the quote's first occurrence in the message's text, None when it is not quoted.

    Folded, it has 10 to 40 characters, or it is the whole message and has 4 or more.
    """
    folded, within = fold(quote), fold(text)
    fits = QUOTE_CHARS_MIN <= len(folded) <= QUOTE_CHARS_MAX
    is_whole = len(folded) >= WHOLE_CHARS_MIN and folded == within
    at = within.find(folded) if fits or is_whole else -1
    if at < 0:
        return None
    starts, ends = _offsets(text)
    return _widened(text, starts[at], ends[at + len(folded) - 1])


def note_on(said: Spoken, start: int, end: int, content: str, date: str) -> Note:
    """Returns the note that stands on characters `start` to `end` of a message; `date` is YYYY-MM-DD or empty."""
    quote = said.text[start:end]
    ident = memory_id(said.conversation, said.message, start, end, quote)
    place = (said.conversation, said.message, said.n, start, end)
    return Note(ident, content, quote, *place, date, said.at, said.speaker, said.role)


def memory_id(conversation: str, message: str, start: int, end: int, quote: str) -> str:
    """Returns the id of the memory that stands on this quote: the same words at the same place are the same memory."""
    body = dump_json([conversation, message, start, end, quote])
    return "m-" + hashlib.sha256(body).hexdigest()[:24]


def stands(note: Note, text: str) -> bool:
    """Tells whether a note stands on the message's text: its quote is there, at its place, and its id is of them."""
    if not note.quote or note.quote != text[max(note.start, 0) : max(note.end, 0)]:
        return False
    return note.id == memory_id(note.conversation, note.message, note.start, note.end, note.quote)


def _offsets(text: str) -> tuple[list[int], list[int]]:
    """Returns for each folded character where its source begins and ends in the text."""
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        width = 2 if _is_pair(text[at : at + 2]) else 1
        if _FOLDED.get(ord(text[at]), 0) is not None:
            starts.append(at)
            ends.append(at + width)
        at += width
    return starts, ends


def _is_pair(two: str) -> bool:
    return "\ud800" <= two[0] <= "\udbff" and "\udc00" <= two[1:] <= "\udfff"


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the range with both ends moved outwards to where a person sees a character begin, 16 steps at most."""
    before = range(start, max(start - _GRAPHEME_CHARS_MAX, 0), -1)
    after = range(end, min(end + _GRAPHEME_CHARS_MAX, len(text)))
    first = next((at for at in before if is_grapheme_boundary(text, at)), None)
    last = next((at for at in after if is_grapheme_boundary(text, at)), None)
    if first is None:
        first = 0 if start <= _GRAPHEME_CHARS_MAX else start
    if last is None:
        last = len(text) if len(text) - end <= _GRAPHEME_CHARS_MAX else end
    return first, last
