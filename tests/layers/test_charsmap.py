"""Holds that the written map replaces characters exactly as its table says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import normalizers

from layers.embed_model import charsmap
from layers.embed_model.e5s1 import Weights

_TEXT = st.characters(min_codepoint=1, exclude_categories=["Cs"])


def test_every_code_point_is_replaced_as_the_table_says(weights: Weights) -> None:
    """Each of the 1,112,063 characters from U+0001 on gives its replacement, or itself without one."""
    normalise = normalizers.Precompiled(charsmap.written(weights.replacements)).normalize_str
    table = {code: "".join(map(chr, there)) for code, there in weights.replacements.items()}
    codes = [code for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    wrong = [code for code in codes if normalise(chr(code)) != table.get(code, chr(code))]
    assert wrong == []


@settings(max_examples=30)
@given(st.dictionaries(_TEXT.map(ord), st.text(_TEXT, max_size=3), max_size=60))
def test_any_table_is_written_faithfully(table: dict[int, str]) -> None:
    """Whatever the table, a character in it is replaced and one outside it is not."""
    normalise = normalizers.Precompiled(charsmap.written({c: [*map(ord, s)] for c, s in table.items()})).normalize_str
    assert {code: normalise(chr(code)) for code in table} == table
    for character in "猫aＡ🎂":
        assert normalise(character) == table.get(ord(character), character)


def test_what_is_no_text_is_left_out() -> None:
    """Surrogates and NUL in a table change nothing of what is written."""
    assert charsmap.written({0: [32], 0xD800: [32], 0xFF21: [65]}) == charsmap.written({0xFF21: [65]})
