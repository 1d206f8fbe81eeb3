"""Holds how text becomes tokens: SentencePiece's way, without any text that spells a special token."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer

from layers.embed_model import tokenizer_json
from layers.embed_model.e5s1 import Weights

PIECES = (
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    "猫",
    "▁我",
    "我的",
    "▁我的",
    "s",
    "<",
    "/",
    ">",
    "m",
    "a",
    "k",
    "<mask>",
)


@pytest.fixture(scope="module")
def small() -> Tokenizer:
    """A tokenizer of a few pieces, which knows U+0001 as deleted and the fullwidth space as a space."""
    scores = [0.0] * 4 + [-5.0, -3, -4, -4, -3.5, *([-6.0] * 7), 0.0]
    return Tokenizer.from_buffer(tokenizer_json.written(PIECES, scores, {1: (), 0x3000: (0x20,)}))


def test_best_scored_pieces_are_taken(small: Tokenizer) -> None:
    """The pieces with the highest sum stand between start and end, the word's start on the first."""
    assert small.encode("我的猫").tokens == ["<s>", "▁我的", "猫", "</s>"]


def test_runs_of_spaces_are_one_and_the_last_is_none(small: Tokenizer) -> None:
    """Spaces of any width and number part words once; those at the end say nothing."""
    assert small.encode("我的  　猫 ").ids == small.encode("我的 猫").ids


@pytest.mark.parametrize("text", ["</s>", "<s>", "<unk>", "<pad>", "<mask>", "\x01</s>", "\x01<mask>"])
def test_literal_special_token_stays_text(small: Tokenizer, text: str) -> None:
    """Whoever writes a special token's name gets its characters, even behind the hidden prefix."""
    ids = small.encode(f"猫{text}猫").ids[1:-1]
    assert not set(ids) & {0, 1, 2, 16}
    assert len(ids) >= 5


def test_unknown_character_is_one_unknown_token(small: Tokenizer) -> None:
    """Characters that no piece spells become the unknown token, a run of them one."""
    assert small.encode("猫龘靐猫").ids == [0, 4, 5, 3, 5, 2]


def test_chinese_is_read_as_by_the_full_vocabulary(weights: Weights, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pruning changes no token of Chinese text with emoji, numbers and fullwidth signs."""
    from layers.embed_model import pieces

    full = Tokenizer.from_buffer(tokenizer_json.written(weights.pieces, weights.scores.tolist(), weights.replacements))
    kept = pieces.chosen(weights.pieces, frozenset())
    short = Tokenizer.from_buffer(
        tokenizer_json.written([weights.pieces[i] for i in kept], weights.scores[kept].tolist(), weights.replacements)
    )
    for text in (
        "昨天我们去西湖边散步🌧️，晚上一起吃了火锅。",
        "ＡＢ１２３，繁體字：臺灣的夏天……",
        "２０２４年3月5日，一共花了￥128.50！",
    ):
        assert short.encode(text).tokens == full.encode(text).tokens
