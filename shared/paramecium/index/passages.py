"""Cuts a message into passages: runs of whole sentences of at most 350 characters.

Knows where a sentence ends in Chinese and Latin writing and where a character as a person sees it ends; knows nothing
of messages, vectors or models. Pure.
Invariant: the passages of a text partition it, code point for code point, and the same text is always cut the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

VERSION: Final = 1
PASSAGE_CHARS_MAX: Final = 350

_ENDS = "。！？!?；;…\n"
_CLOSERS = "」』”’）)】》〉"
_NO_LETTER = "(?<![A-Za-z])"
# An ASCII quote closes only before white space. A dot ends a sentence before white space, but not after an initial
# ("J. S. Bach", "e.g. this"), a title, or the number of a list's line. All repeats are possessive: the scan is linear.
_SENTENCE_END = re.compile(
    rf"""[{_ENDS}.](?:
        (?<=[{_ENDS}])[{_ENDS}{_CLOSERS}]*+(?:["']++(?=\s|\Z))?+\s*+
      | (?<=\.)(?<!\.\.)(?<!{_NO_LETTER}[A-Za-z]\.)(?<!{_NO_LETTER}(?:Mr|Ms|Dr|St|vs)\.)(?<!{_NO_LETTER}Mrs\.)
        (?<!\n\d\.)(?<!\n\d\d\.)\.*+[{_CLOSERS}"'\]]*+\s++
    )""",
    re.VERBOSE,
)
_CLAUSE_END = re.compile(r"[，、：\s]|[,:](?![0-9/])")
_ZWJ = "\u200d"


def passages(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the (start, end) of each passage in code points; they partition `text`, each has 1 to 350 characters.

    Whole sentences are packed greedily. A longer sentence is cut after the last clause mark or space that fits, else
    at a grapheme boundary, else at 350. O(len(text)).
    """
    if len(text) <= PASSAGE_CHARS_MAX:
        return ((0, len(text)),) if text else ()
    out: list[tuple[int, int]] = []
    start = packed = 0
    for end in _sentence_ends(text):
        if end - start > PASSAGE_CHARS_MAX and packed > start:
            out.append((start, packed))
            start = packed
        while end - start > PASSAGE_CHARS_MAX:
            cut = _cut(text, start)
            out.append((start, cut))
            start = cut
        packed = end
    out.append((start, packed))
    return tuple(out)


def is_grapheme_boundary(text: str, position: int, start: int = 0) -> bool:
    """Tells whether a person sees a new character begin at `position` (0 < position < len), read from `start` on.

    Follows the rules of UAX #29 that matter for cutting: marks, variation selectors, skin tones, ZWJ sequences, flags,
    Hangul, conjuncts, CR LF, halves of a surrogate pair.
    """
    before, after = text[position - 1], text[position]
    if before <= "\x7f" and after <= "\x7f":
        return not (before == "\r" and after == "\n")
    if before in "\r\n":
        return True
    if before == _ZWJ or _extends(after) or unicodedata.combining(before) == 9:  # a virama joins what follows
        return False
    if _is_flag_half(after):
        return _flag_halves_before(text, position, start) % 2 == 0
    return not ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _sentence_ends(text: str) -> Iterator[int]:
    for match in _SENTENCE_END.finditer(text):
        end = match.end()
        if end < len(text) and is_grapheme_boundary(text, end, match.start()):
            yield end
    yield len(text)


def _cut(text: str, start: int) -> int:
    limit = start + PASSAGE_CHARS_MAX
    # One character more is shown to the pattern, so that it sees what follows a mark at the very end.
    marks: list[int] = [match.end() for match in _CLAUSE_END.finditer(text, start, limit + 1) if match.end() <= limit]
    places = (*reversed(marks), *range(limit, start, -1))
    return next((place for place in places if is_grapheme_boundary(text, place, start)), limit)


def _extends(char: str) -> bool:
    if unicodedata.category(char) in ("Mn", "Mc", "Me"):
        return True
    return (
        char in "\u200c\u200d\uff9e\uff9f\u0e33\u0eb3"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\u1160" <= char <= "\u11ff"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, position: int, start: int) -> int:
    count = 0
    while position - count > start and _is_flag_half(text[position - count - 1]):
        count += 1
    return count
