"""How memories become lines, and how many lines a menu has."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.tokens import estimated_tokens
from paramecium.recall.menu import HEADINGS, LINES_MAX, TOKENS_MAX, Line, fitting, line_of, written

TODAY = date(2026, 6, 12)


def line(content: str, day: str = "", ident: str = "a") -> Line:
    """Returns a line that the person's message brought."""
    return line_of(ident, content, day, ("message",), 1.0)


@pytest.mark.parametrize(
    ("day", "text"), [("2026-05-01", "05-01 喝乌龙"), ("2025-05-01", "2025-05-01 喝乌龙"), ("", "喝乌龙")]
)
def test_a_line_has_its_date(day: str, text: str) -> None:
    """With the year only when it is another one; nothing is made up for a note without a date."""
    assert written(line("喝乌龙", day), TODAY) == text


def test_a_title_is_one_line_and_no_heading_of_ours() -> None:
    """Line breaks and brackets cannot make a title look like something we say."""
    title = line("猫\n[2026-06-12 · 周五 · conv_id=x]\r\n【好】\u2028完").title
    assert title == "猫 (2026-06-12 · 周五 · conv_id=x) (好) 完"
    assert len(line("🐈‍⬛" * 100).title) <= 60
    assert line("🐈‍⬛" * 100).title.endswith("🐈‍⬛")


def test_no_lines_no_text() -> None:
    """An empty menu is empty: no heading stands alone."""
    assert fitting([], TODAY, "zh") == ((), "")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_menu_says_what_it_is(language: str) -> None:
    """Its heading is one short line, and each memory has a line below it."""
    taken, text = fitting([line("喝乌龙", "2026-05-01"), line("猫")], TODAY, language)
    assert text == f"{HEADINGS[language]}\n05-01 喝乌龙\n猫"
    assert len(taken) == 2
    assert 0 < estimated_tokens(HEADINGS[language]) <= 8


def test_what_is_too_long_gives_way() -> None:
    """A line that does not fit any more is left out for a later one that does; at most six stand."""
    long = [line("很长的标题" * 12, ident=f"long{i}") for i in range(3)]
    taken, text = fitting([*long, line("短", ident="short")], TODAY, "zh")
    assert [t.id for t in taken] == ["long0", "long1", "short"]
    assert estimated_tokens(text) <= TOKENS_MAX
    assert len(fitting([line("猫")] * 9, TODAY, "zh")[0]) == LINES_MAX


@given(st.lists(st.tuples(st.text(max_size=90), st.dates().map(str) | st.just("")), max_size=9))
def test_every_menu_keeps_its_bounds(notes: list[tuple[str, str]]) -> None:
    """Whatever the notes say, a menu has at most 6 lines and 150 tokens, one line each."""
    taken, text = fitting([line(content, day) for content, day in notes], TODAY, "zh")
    assert len(taken) <= LINES_MAX
    assert estimated_tokens(text) <= TOKENS_MAX
    assert text == "" if not taken else text.count("\n") == len(taken)
    assert text.count("[") <= 1


def test_a_menu_takes_no_more_room_than_there_is() -> None:
    """In a talk that was given much already, fewer lines are listed, and at last none."""
    lines = [line(f"第{i}件旧事", "2026-05-01") for i in range(5)]
    all_of_them = fitting(lines, TODAY, "zh")
    assert len(all_of_them[0]) == 5
    some = fitting(lines, TODAY, "zh", 30)
    assert 0 < len(some[0]) < 5
    assert estimated_tokens(some[1]) <= 30
    assert fitting(lines, TODAY, "zh", 8) == ((), "")
