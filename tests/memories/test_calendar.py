"""Lunar days are those of the printed calendar, and where the table ends nothing is guessed."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.calendar import LunarDay, lunar_day, lunar_text


@pytest.mark.parametrize(
    ("day", "zh", "en"),
    [
        (date(2026, 6, 12), "农历四月廿七", "lunar 4-27"),
        (date(2026, 2, 17), "农历正月初一", "lunar 1-1"),
        (date(2025, 1, 28), "农历腊月廿九", "lunar 12-29"),
        (date(2026, 9, 25), "农历八月十五", "lunar 8-15"),
        (date(2025, 7, 25), "农历闰六月初一", "lunar 6-1 (leap month)"),
        (date(2023, 4, 19), "农历闰二月廿九", "lunar 2-29 (leap month)"),
        (date(1900, 1, 31), "农历正月初一", "lunar 1-1"),
        (date(1900, 1, 30), "", ""),
        (date(2099, 12, 31), "", ""),
        (date(1, 1, 1), "", ""),
        (date.max, "", ""),
    ],
)
def test_a_day_is_written_as_people_write_it(day: date, zh: str, en: str) -> None:
    """In both languages; leap months say so, and outside of the table there is no text."""
    assert (lunar_text(day, "zh"), lunar_text(day, "en")) == (zh, en)


def test_new_years_eve_is_the_last_day_of_its_month() -> None:
    """Whether its month has 29 days or 30."""
    assert lunar_day(date(2025, 1, 28)) == LunarDay(12, 29, is_leap=False, is_last=True)
    assert lunar_day(date(2024, 2, 9)) == LunarDay(12, 30, is_leap=False, is_last=True)


@given(st.dates(date(1900, 1, 31), date(2099, 12, 29)))
def test_the_next_day_is_the_next_or_a_first(day: date) -> None:
    """Day follows day within a month, and the last of a month is followed by the first."""
    today, tomorrow = lunar_day(day), lunar_day(day + timedelta(days=1))
    assert today is not None
    assert tomorrow is not None
    assert tomorrow.day == (1 if today.is_last else today.day + 1)
    assert today.is_last or (tomorrow.month, tomorrow.is_leap) == (today.month, today.is_leap)
    assert 1 <= today.month <= 12
    assert 1 <= today.day <= 30
