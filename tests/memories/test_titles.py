"""Titles of memories: one line of at most 60 characters, cut where a person sees a character end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.passages import is_grapheme_boundary
from paramecium.memories.titles import TITLE_CHARS_MAX, title_of

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("", ""),
        ("豆包打了疫苗", "豆包打了疫苗"),
        ("  两边有空格 ", "  两边有空格 "),
        ("一\r\n\n二\u2028三\x00四\t五", "一 二 三 四 五"),
        ("茶" * 60, "茶" * 60),
        ("茶" * 61, "茶" * 60),
        ("茶" * 58 + FAMILY, "茶" * 58),
        ("茶" * 59 + "e\u0301", "茶" * 59),
        ("e" + "\u0301" * 80, "e" + "\u0301" * 59),
    ],
)
def test_a_title_is_the_beginning_on_one_line(content: str, title: str) -> None:
    """Line breaks and control characters become spaces; what does not fit whole is left out."""
    assert title_of(content) == title


@given(st.text(st.characters(), max_size=150))
def test_any_content_has_a_title_that_fits(content: str) -> None:
    """It is short, on one line, and does not end within a character unless that one is longer than a title."""
    title = title_of(content)
    assert len(title) <= TITLE_CHARS_MAX
    assert not set(title) & set("\r\n\0\u2028\u2029\x85\x0b\x0c")
    line = title_of(content[:TITLE_CHARS_MAX]) if len(title) < TITLE_CHARS_MAX else title
    assert line.startswith(title)


@given(st.lists(st.sampled_from(["茶", FAMILY, "e\u0301", "🇨🇳", "क्ष", "a"]), max_size=60).map("".join))
def test_no_character_is_cut_in_two(content: str) -> None:
    """What a title ends with is whole."""
    title = title_of(content)
    assert content.startswith(title)
    assert title == content or is_grapheme_boundary(content, len(title))
