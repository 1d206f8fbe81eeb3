"""How two spellings of the same words are made equal: one character at a time, and never by phrase.

A character becomes its compatibility form (NFKC), its case is folded and a traditional character becomes the simplified
one, again and again until nothing changes. Knows nothing of what is searched or where.
Invariant: fold(a + b) == fold(a) + fold(b), and fold(fold(x)) == fold(x); no character vanishes, so every folded
character has one source character. A letter and its accent in two code points stay two: "é" and "e" + U+0301 differ,
and the second is found by "e"; lone surrogates and NUL stay as they are.
"""

import unicodedata

from paramecium.index.simplified import SIMPLIFIED


def fold(text: str) -> str:
    """Returns the folded text; at least as many characters as `text`."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def offsets(text: str) -> list[int]:
    """Returns for each character of fold(text) the index of its source in `text`, and len(text) at the end."""
    if len(fold(text)) == len(text):
        return list(range(len(text) + 1))
    out = [index for index, char in enumerate(text) for _ in fold(char)]
    return [*out, len(text)]


def find_all(folded_text: str, folded_query: str, limit: int) -> list[int]:
    """Returns where the query begins in the text, from the left, without overlaps, at most `limit`; "" is nowhere."""
    found: list[int] = []
    at = folded_text.find(folded_query) if folded_query else -1
    while at >= 0 and len(found) < limit:
        found.append(at)
        at = folded_text.find(folded_query, at + len(folded_query))
    return found


def source_range(offsets: list[int], at: int, length: int) -> tuple[int, int]:
    """Returns (start, end) in the source of `length` >= 1 folded characters from `at`: whole source characters."""
    return offsets[at], offsets[at + length - 1] + 1


class _Folded(dict[int, str]):
    """Holds the fold of each character met so far, for str.translate."""

    def __missing__(self, code: int) -> str:
        before, after = "", chr(code)
        while (
            before != after
        ):  # ends: NFKC and case folding are stable after two rounds, the table after its longest chain
            before, after = after, "".join(map(_fold_once, after))
        self[code] = after
        return after


def _fold_once(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).casefold()
    return folded.translate(SIMPLIFIED)


_FOLDED = _Folded()
