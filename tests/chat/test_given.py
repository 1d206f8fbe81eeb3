"""What is placed beside a person's words: absolute, and nothing twice."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from paramecium.chat.given import local_day, make_given
from paramecium.memories.documents import Document
from paramecium.messages import Entry
from tests.chat.fakes_chat import menu_of, settings

MOMENT = datetime(2026, 6, 12, 16, 30, tzinfo=UTC)
TEA = Document("facts/茶.md", "facts", "只喝白茶。\n", "sha-茶")


def before(at: str, given: Any = None) -> Entry:
    """Returns the user message before."""
    return Entry("q", 0, role="user", at=at, given={"text": "[23:59]"} if given is None else given)


@pytest.mark.parametrize(
    ("language", "zone", "line"),
    [
        ("zh", "Asia/Shanghai", "[2026-06-13 星期六 农历四月廿八 00:30]"),
        ("en", "Asia/Shanghai", "[2026-06-13 Saturday lunar 4-28 00:30]"),
        ("en", "America/New_York", "[2026-06-12 Friday lunar 4-27 12:30]"),
    ],
)
def test_the_clock_line_is_local_and_absolute(language: str, zone: str, line: str) -> None:
    """Date, weekday, lunar day and time are those of the settings' zone."""
    assert make_given(settings(language=language, timezone=zone), MOMENT) == {"text": line}


@pytest.mark.parametrize(
    ("previous", "is_short"),
    [
        (None, False),
        (before("2026-06-13T00:00:00.000+08:00"), True),
        (before("2026-06-12T23:59:59.999+08:00"), False),
        (before("2026-06-12T16:00:00.000Z"), True),
        (before("2026-06-12T12:10:00.000-04:00"), True),
        (before("2026-06-14T00:30:00.000+08:00"), False),
        (before(""), False),
        (before("很久以前"), False),
        (before("2026-06-13T00:00:00.000+08:00", given={}), False),
        (before("2026-06-13T00:00:00.000+08:00", given={"text": "[事实 茶] 只喝白茶。"}), False),
        (before("2026-06-13T00:40:00.000+08:00"), True),
    ],
)
def test_on_the_same_day_the_time_alone_is_given(previous: Entry | None, is_short: bool) -> None:
    """The day of the message before is that of the person's zone; one that was given no day counts for none."""
    text = make_given(settings(), MOMENT, (previous,) if previous else ())["text"]
    assert text == ("[00:30]" if is_short else "[2026-06-13 星期六 农历四月廿八 00:30]")


def test_the_time_is_not_told_again_within_ten_minutes() -> None:
    """Counted from the last clock line, whatever was said since without one; the moment stays in the entry."""
    told = before("2026-06-13T00:20:00.001+08:00", {"text": "[00:20]\n[事实 茶] 只喝白茶。"})
    since = before("2026-06-13T00:25:00.000+08:00", {"text": ""})
    assert make_given(settings(), MOMENT, (told, since)) == {"text": ""}
    assert make_given(settings(), MOMENT, (told, since), (TEA,))["text"] == "[事实 茶] 只喝白茶。"
    earlier = before("2026-06-13T00:20:00.000+08:00")
    assert make_given(settings(), MOMENT, (earlier, since))["text"] == "[00:30]"


def test_an_hour_that_comes_twice_has_passed() -> None:
    """The clock shows the same time before and after it is put back, and an hour lies between."""
    zone = settings(timezone="America/New_York")
    told = before("2026-11-01T01:30:00.000-04:00", {"text": "[01:30]"})
    assert make_given(zone, datetime(2026, 11, 1, 6, 30, tzinfo=UTC), (told,))["text"] == "[01:30]"


def test_a_year_outside_the_lunar_table_has_no_lunar_day() -> None:
    """The line stands without it."""
    text = make_given(settings(), datetime(2150, 1, 1, 4, tzinfo=UTC))["text"]
    assert text == "[2150-01-01 星期四 12:00]"


def test_facts_stand_below_the_clock_and_the_menu_below_them() -> None:
    """What was given is also kept as what it was: ids and lanes, paths and hashes."""
    given = make_given(settings(), MOMENT, (), (TEA,), menu_of("去看海", "下雪"))
    clock, *rest = given["text"].split("\n")
    assert (clock[0], rest) == ("[", ["[事实 茶] 只喝白茶。", "05-01 去看海", "05-01 下雪"])
    assert given["menu"] == [{"id": "m-去看海", "lanes": ["message"]}, {"id": "m-下雪", "lanes": ["message"]}]
    assert given["facts"] == [{"path": "facts/茶.md", "sha256": "sha-茶"}]


def test_what_is_empty_is_left_out() -> None:
    """No facts and a menu without lines leave the clock line alone."""
    assert list(make_given(settings(), MOMENT, (), (), menu_of())) == ["text"]


def test_a_day_begins_where_the_person_lives() -> None:
    """One moment is two days in two zones."""
    days = [local_day(settings(timezone=zone), MOMENT) for zone in ("Asia/Shanghai", "America/New_York")]
    assert days == [date(2026, 6, 13), date(2026, 6, 12)]
