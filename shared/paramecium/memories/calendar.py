"""The Chinese calendar: which lunar day a date is, and how it is written; the only file that knows lunardate.

Pure. Knows dates from 1900-01-31 to 2099-12-31, as far as the library's table reaches (after Fung F. Lee and Ricky
Yeung's `lunar`). Invariant: outside of them the answer is None or an empty text, never a guess.
"""

from datetime import date, timedelta
from typing import Final, NamedTuple

_DIGITS: Final = "〇一二三四五六七八九十"
_MONTHS: Final = ("", "正", "二", "三", "四", "五", "六", "七", "八", "九", "十", "冬", "腊")
_FIRST: Final = date(1900, 1, 31)
_LAST: Final = date(2099, 12, 31)


class LunarDay(NamedTuple):
    """Is a day of the Chinese calendar; `is_last` tells that no other day of its month follows."""

    month: int
    day: int
    is_leap: bool
    is_last: bool


def lunar_day(day: date) -> LunarDay | None:
    """Returns the lunar day of a date, None where the table does not reach."""
    if not _FIRST <= day < _LAST:
        return None
    from lunardate import LunarDate

    today, tomorrow = (LunarDate.from_solar_date(d.year, d.month, d.day) for d in (day, day + timedelta(days=1)))
    return LunarDay(today.month, today.day, bool(today.is_leap_month), tomorrow.day == 1)


def lunar_text(day: date, language: str) -> str:
    """Returns the lunar day as people write it, 农历四月廿七 or "lunar 4-27", empty where the table does not reach."""
    found = lunar_day(day)
    if found is None:
        return ""
    if language == "zh":
        return f"农历{'闰' if found.is_leap else ''}{_MONTHS[found.month]}月{_day_text(found.day)}"
    return f"lunar {found.month}-{found.day}{' (leap month)' if found.is_leap else ''}"


def _day_text(day: int) -> str:
    if day in (10, 20, 30):
        return {10: "初十", 20: "二十", 30: "三十"}[day]
    return ("初", "十", "廿")[day // 10] + _DIGITS[day % 10]
