"""Holds which vocabulary pieces a model for Chinese and English keeps."""

from __future__ import annotations

import pytest

from layers.embed_model import e5s1, pieces
from layers.embed_model.e5s1 import Weights
from layers.embed_model.pieces import SPECIALS

ENGLISH = frozenset({"▁cat", "ing"})


@pytest.mark.parametrize(
    "piece",
    ["▁我们", "火锅", "々々", "猫", "é", "▁ё", "カ", "안", "▁", "…", "！”", "🎂🎉", "❤️", "2024", "▁cat", "ing", "▁th"],
)
def test_piece_of_chinese_english_or_one_character_stays(piece: str) -> None:
    """Han, symbols, digits, listed English, and every single character stay."""
    assert pieces.chosen([*SPECIALS, piece], ENGLISH) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("piece", ["▁кот", "안녕", "です", "▁café", "สวัส", "▁kat", "chat", "२०", "猫です", "a▁안"])
def test_longer_piece_of_another_language_goes(piece: str) -> None:
    """Several characters of another script, or Latin letters no English list names, are not worth a row."""
    assert pieces.chosen([*SPECIALS, piece], ENGLISH) == [0, 1, 2, 3]


def test_pinned_vocabulary_keeps_all_of_chinese(weights: Weights, e5_files: tuple[bytes, bytes]) -> None:
    """Of the pinned vocabulary every piece of Han alone and every one-character piece stays, in ascending order."""
    kept = pieces.chosen(weights.pieces, frozenset(e5s1.read(e5_files[1]).pieces))
    names = {weights.pieces[i] for i in kept}
    bodies = {piece: piece.removeprefix("▁") for piece in weights.pieces}
    han = {piece for piece, body in bodies.items() if body and all("一" <= c <= "鿿" for c in body)}
    single = {piece for piece, body in bodies.items() if len(body) == 1}
    assert len(han) > 15_000
    assert han | single <= names
    assert kept == sorted(set(kept))
    assert len(kept) == 68_156
