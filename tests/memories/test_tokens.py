"""The estimate of how many tokens a text takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.tokens import estimated_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("奶奶的院子", 5),
        ("《雨》，她说。", 7),
        ("６月１２日", 5),
        ("𠮷野家", 3),
        ("かなカナ한글", 6),
        ("abcd", 1),
        ("abcde", 2),
        ("去 Berlin 吗", 4),
        ("👩\u200d👩\u200d👧", 2),
        ("\ud83d\0\u2028", 1),
    ],
)
def test_a_wide_character_is_one_token_any_other_a_quarter(text: str, tokens: int) -> None:
    """CJK with its punctuation counts 1 a character, all else 0.25, rounded up."""
    assert estimated_tokens(text) == tokens


@given(st.text(), st.text())
def test_the_estimate_of_a_joined_text_is_that_of_its_parts(first: str, second: str) -> None:
    """Joining texts changes the estimate by rounding alone, so a budget may be kept part by part."""
    apart = estimated_tokens(first) + estimated_tokens(second)
    assert apart - 1 <= estimated_tokens(first + second) <= apart
