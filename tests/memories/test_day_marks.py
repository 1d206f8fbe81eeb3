"""Days that a note names, and days that answer to them."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paramecium.memories.day_marks import CHARS_MAX, MARKS_MAX, marks_in, marks_of


@pytest.mark.parametrize(
    ("content", "marks"),
    [
        ("6月12日搬家", {"06-12"}),
        ("６月１２号搬家", {"06-12"}),
        ("六月十二号搬家", {"06-12"}),
        ("2025年十二月三十一日的烟花", {"12-31"}),
        ("6月12到青岛", {"06-12"}),
        ("生日 06-12", {"06-12"}),
        ("2024-6-1 领的证，2025/10/3 办的酒", {"06-01", "10-03"}),
        ("moved on June 12, 2025", {"06-12"}),
        ("born 3rd of Sept", {"09-03"}),
        ("12 June and Dec. 5th", {"06-12", "12-05"}),
        ("妈妈农历八月初三过生日", {"L08-03"}),
        ("妈妈八月初三过生日", {"L08-03"}),
        ("农历8月3日是妈妈生日", {"L08-03"}),
        ("农历生日是 8月3日", {"L08-03"}),
        ("生日 8月3日（农历）", {"L08-03"}),
        ("爸爸腊月廿三回家", {"L12-23"}),
        ("腊月二十三送灶", {"L12-23"}),
        ("正月十五看灯", {"L01-15"}),
        ("闰六月廿一", {"L06-21"}),
        ("除夕在外婆家", {"L12-30"}),
        ("大年三十守岁，大年初二回门", {"L12-30", "L01-02"}),
        ("中秋 端午 七夕 重阳 元宵 春节", {"L08-15", "L05-05", "L07-07", "L09-09", "L01-15", "L01-01"}),
        ("lunar 4-27 is her birthday", {"L04-27"}),
        ("八月十五看月亮", {"L08-15", "08-15"}),
        ("三月三去踏青", {"L03-03", "03-03"}),
    ],
)
def test_named_days(content: str, marks: set[str]) -> None:
    """A day that a note names by sun or moon is a mark of the year."""
    assert set(marks_in(content, "")) == marks


@pytest.mark.parametrize(
    "content",
    [
        "十二月三个朋友来", "三月一直下雨", "五月十几号", "10-12 岁的孩子", "2月30日", "农历八月三十一", "13-40",
        "电话 138-06-12-55", "初三毕业", "第100天", "一百天后", "May 45", "3.06-12", "上半年", "",
    ],
)  # fmt: skip
def test_no_named_day(content: str) -> None:
    """What is no day of a calendar makes no mark, and nothing is counted without a day to count from."""
    assert marks_in(content, "") == ()
    assert marks_in(content, "2026-14-40") == ()


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("在一起第100天要去看海", "2026-09-19"),
        ("第一百天去看海", "2026-09-19"),
        ("100天后考试", "2026-09-20"),
        ("一百天之后考试", "2026-09-20"),
        ("一百零五天后考试", "2026-09-25"),
        ("宝宝满百日", "2026-09-20"),
        ("宝宝满100天", "2026-09-20"),
        ("给宝宝办百天宴", "2026-09-19"),
        ("两周后复查", "2026-06-26"),
        ("3个星期以后复查", "2026-07-03"),
        ("三个月后复查", "2026-09-12"),
        ("半年后复查", "2026-12-12"),
        ("the exam is in 10 days", "2026-06-22"),
        ("the 100th day together", "2026-09-19"),
    ],
)
def test_counted_days(content: str, day: str) -> None:
    """A day that a note counts to, in digits or in Chinese numerals, is a mark of that one day."""
    assert marks_in(content, "2026-06-12") == ("06-12", day)


@pytest.mark.parametrize("content", ["十几天后", "五六天后", "几天后", "百日咳好了", "第一", "一百多天后", "99999天后"])
def test_what_counts_to_no_day(content: str) -> None:
    """A number that is not said exactly counts to no day."""
    assert marks_in(content, "2026-06-12") == ("06-12",)


def test_a_month_too_short_ends_with_its_last_day() -> None:
    """A month after January 31 is the last day of February."""
    assert marks_in("一个月后", "2026-01-31") == ("01-31", "2026-02-28")


@pytest.mark.parametrize(
    ("day", "marks"),
    [
        ("2026-06-12", ("06-12", "L04-27", "2026-06-12")),
        ("2026-02-16", ("02-16", "L12-29", "L12-30", "2026-02-16")),
        ("2025-01-28", ("01-28", "L12-29", "L12-30", "2025-01-28")),
        ("2024-02-09", ("02-09", "L12-30", "2024-02-09")),
        ("2025-08-14", ("08-14", "L06-21", "2025-08-14")),
        ("2026-02-28", ("02-28", "02-29", "L01-12", "2026-02-28")),
        ("2024-02-28", ("02-28", "L01-19", "2024-02-28")),
        ("2150-01-01", ("01-01", "2150-01-01")),
    ],
)
def test_days_answer(day: str, marks: tuple[str, ...]) -> None:
    """A day answers by sun, by moon (New Year's Eve always to the 30th), and for itself."""
    assert marks_of(date.fromisoformat(day)) == marks


_PIECES = "第满百一两十廿初闰正腊农历月日号天周后个半年 0123456789-/.June lunar１２\n\ud800\0²᠑"


@given(st.one_of(st.text(), st.text(_PIECES, max_size=200)), st.one_of(st.dates().map(str), st.text(max_size=12)))
@example("第" * 4000, "9999-12-31")
@example("一个月后" * 1000, "9999-12-31")
@example("1" * 4000, "0001-01-01")
def test_any_text_is_read(content: str, day: str) -> None:
    """Any text whatever gives at most 32 marks, each the mark of a day."""
    marks = marks_in(content, day)
    assert len(marks) == len(set(marks)) <= MARKS_MAX
    for mark in marks:
        assert len(mark.removeprefix("L")) in (5, 10)


@given(st.dates(date(1901, 1, 1), date(2099, 1, 1)))
def test_a_note_is_answered_in_every_year(day: date) -> None:
    """The day of a note answers to the note's own mark, and so does the same day a year later."""
    marks = marks_in("", str(day))
    assert set(marks) <= set(marks_of(day))
    later = day + timedelta(days=365)
    same = day if day.month == 2 and day.day == 29 else date(later.year, day.month, day.day)
    assert set(marks) & set(marks_of(same))


def test_a_long_text_is_read_fast() -> None:
    """Text that nearly matches everywhere takes no longer than its first 4,000 characters."""
    began = time.perf_counter()
    for piece in ("农历", "一", "1-", "满一", "第", "lunar ", "十月"):
        marks_in(piece * 100_000, "2026-06-12")
    assert time.perf_counter() - began < 1.0
    assert marks_in("哈" * CHARS_MAX + "6月12日", "") == ()
