"""Chooses the vocabulary pieces of a model for Chinese and English.

Knows which characters a piece may hold. Refuses to know scores, rows and file formats. Invariant: every one-character
piece stays, so no character the full vocabulary can spell becomes unknown, and Chinese text gets the same tokens as
from the full vocabulary; the choice depends on its arguments alone, not on the Unicode version of the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD_START = "▁"
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")

# code points that may stand in a piece of several characters, first and last of each run
_RUNS = (
    (0x0021, 0x007E),  # ASCII
    (0x00A1, 0x00BF),  # Latin signs without letters
    (0x2000, 0x2BFF),  # punctuation, currency, arrows, mathematics, shapes, dingbats
    (0x3000, 0x303F),  # CJK punctuation with 々 and 〇
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE00, 0xFE6F),  # variation selectors, CJK forms
    (0xFF00, 0xFF0F),  # fullwidth punctuation
    (0xFFE0, 0xFFEE),
    (0x1F000, 0x1FAFF),  # emoji
    (0x20000, 0x323AF),  # Han beyond the basic plane
)


def chosen(pieces: Sequence[str], english: frozenset[str]) -> list[int]:
    """Gives the ascending ids of the pieces that stay; `english` lists the words whose ASCII pieces are worth a row."""
    return [i for i, piece in enumerate(pieces) if piece in SPECIALS or _stays(piece, english)]


def _stays(piece: str, english: frozenset[str]) -> bool:
    body = piece.removeprefix(WORD_START)
    if len(body) <= 1:
        return True
    if not all(c == WORD_START or any(first <= ord(c) <= last for first, last in _RUNS) for c in body):
        return False
    has_letters = body.isascii() and any(c.isalpha() for c in body)
    return not has_letters or len(body) <= 2 or piece in english
