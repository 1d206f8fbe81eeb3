"""Which days of the year a note answers to: its own, those it names by sun or moon, and those it counts to (pure).

A mark is "06-12" (a solar day of any year), "L08-03" (a lunar day of any year), or "2026-09-20" (one day, counted from
the note's). The last day of a lunar month answers to its 30th, so that New Year's Eve is always L12-30.
Invariant: any text whatever is read in bounded time, and what is no day of a calendar makes no mark.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from paramecium.memories.calendar import lunar_day

CHARS_MAX: Final = 4000
MARKS_MAX: Final = 32
_DAYS_MAX: Final = 36_525

_MONTH_DAYS: Final = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LUNAR_DAYS: Final = 30
_ZH: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "廿": 20, "卅": 30}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_NUMBER: Final = "[0-9０-９]{1,5}|[零〇一二两三四五六七八九十百千]{1,7}"
_MONTHS_ZH: Final = {"正": 1, "冬": 11, "腊": 12, "臘": 12}
_MONTHS_EN: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FESTIVALS: Final = {
    "春节": "L01-01", "元宵": "L01-15", "龙抬头": "L02-02", "端午": "L05-05", "七夕": "L07-07", "中元节": "L07-15",
    "中秋": "L08-15", "重阳": "L09-09", "腊八": "L12-08", "除夕": "L12-30", "年三十": "L12-30",
    "春節": "L01-01", "龍抬頭": "L02-02", "重陽": "L09-09", "臘八": "L12-08",
    "chinese new year": "L01-01", "lunar new year": "L01-01", "lantern festival": "L01-15", "dragon boat": "L05-05",
    "qixi": "L07-07", "mid-autumn": "L08-15", "double ninth": "L09-09",
}  # fmt: skip

# 年, 个 and the like after a bare number say that it counts something and is no day.
_COUNTED_THINGS = "个個点點分天年岁歲次元块塊度斤人几幾多来來余餘月周週页頁章节節里里号日"
_ZH_DAY = re.compile(
    "(?P<leap>[闰閏])?(?P<month>[0-9０-９]{1,2}|[一二三四五六七八九十正冬腊臘]{1,3})月"
    "(?P<day>[0-9０-９]{1,2}|初?[一二三四五六七八九十]{1,3}|[廿卅][一二三四五六七八九]?)(?P<unit>[日号號]?)"
)
_BEFORE_LUNAR = re.compile(
    "(?:农历|農曆|阴历|陰曆|旧历|舊曆|lunar)[^，。；、,;.()（）\r\n公新阳陽]{0,10}$", re.IGNORECASE
)
_BEHIND_LUNAR = re.compile("[（(](?:农历|農曆|阴历|陰曆|旧历|舊曆)[)）]")
_NEW_YEAR_ZH = re.compile("大年初([一二三四五六七八九十])")
_LUNAR_EN = re.compile(r"\blunar ([0-9]{1,2})-([0-9]{1,2})(?![0-9-])", re.IGNORECASE)
_ISO = re.compile(r"(?<![0-9./-])(?:[12][0-9]{3}([-/.]))([0-9]{1,2})\1([0-9]{1,2})(?![0-9])")
_SHORT = re.compile(rf"(?<![0-9./-])([01][0-9])-([0-3][0-9])(?![0-9/-]|\.[0-9]| ?[{_COUNTED_THINGS}])")
_NAMES = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
_NAMES += "|nov(?:ember)?|dec(?:ember)?"
_MONTH_FIRST = re.compile(rf"\b({_NAMES})\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:])\b", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"\b([0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_NAMES})\b", re.IGNORECASE)

_NO_MORE_DIGITS = "(?<![0-9０-９零〇一二两三四五六七八九十百千.])"
_NTH_DAY = re.compile(
    f"第({_NUMBER})[天日]|\\bday ([0-9]{{2,5}})\\b|\\b([0-9]{{1,5}})(?:st|nd|rd|th) day\\b", re.IGNORECASE
)
_AFTER = "(?:之|以)?[后後]"
_LATER = re.compile(f"{_NO_MORE_DIGITS}({_NUMBER}) ?(天|日|周|週|个?星期|个?礼拜|个月|個月){_AFTER}")
_FULL = re.compile(f"[满滿]({_NUMBER}) ?(天|日|周|週|个月|個月)(?!岁)")
_HUNDRED = re.compile(
    "(?<![0-9零〇一二两三四五六七八九十几幾数數上满滿第])百[天日](?![咳草菊红紅维維]|(?:之|以)?[后後])"
)
_HALF = re.compile(f"半(年|个月|個月){_AFTER}")
_LATER_EN = re.compile(
    r"\bin ([0-9]{1,5}) (day|week|month)s?\b|\b([0-9]{1,5}) (day|week|month)s? (?:later|from now)\b", re.IGNORECASE
)


def marks_in(content: str, date: str) -> tuple[str, ...]:
    """Returns the marks of a note, each once, at most 32: its own day first, then those its content names or counts to.

    `date` is YYYY-MM-DD or empty; a date of no calendar counts as none. Content beyond 4,000 characters is not read.
    """
    text, own = content[:CHARS_MAX], _day(date)
    found: dict[str, None] = {}
    for mark in _all(text, own):
        found[mark] = None
        if len(found) == MARKS_MAX:
            break
    return tuple(found)


def marks_of(day: date) -> tuple[str, ...]:
    """Returns the marks a day answers to: solar, lunar, and the day itself.

    A leap month answers as its month; February 28 of a common year also for the 29th.
    """
    out = [_solar(day)]
    if out == ["02-28"] and (day + timedelta(days=1)).month == 3:
        out.append("02-29")
    moon = lunar_day(day)
    if moon is not None:
        out.append(f"L{moon.month:02d}-{moon.day:02d}")
        if moon.is_last and moon.day < _LUNAR_DAYS:
            out.append(f"L{moon.month:02d}-{_LUNAR_DAYS}")
    return (*out, day.isoformat())


def _all(text: str, own: date | None) -> Iterator[str]:
    if own is not None:
        yield _solar(own)
    yield from _zh_days(text)
    yield from _other_days(text)
    yield from _festivals(text)
    if own is not None:
        for days in _counted(text, own):
            if 0 < days <= _DAYS_MAX and own.toordinal() + days <= date.max.toordinal():
                yield (own + timedelta(days=days)).isoformat()


def _zh_days(text: str) -> Iterator[str]:
    for found in _ZH_DAY.finditer(text):
        month, day = found["month"], found["day"]
        m, d = _MONTHS_ZH.get(month) or _number(month), _lunar_number(day)
        before, next_char = text[max(found.start() - 20, 0) : found.start()], text[found.end() : found.end() + 1]
        if _is_lunar(found) or _BEFORE_LUNAR.search(before) or _BEHIND_LUNAR.match(text, found.end()):
            yield from _lunar_mark(m, d)
        elif found["unit"] or (month[0] in "0123456789０１２３４５６７８９" and next_char not in _COUNTED_THINGS):
            yield from _solar_mark(m, d)
        elif (d >= 10 or d == m) and (not next_char or next_char not in _COUNTED_THINGS):
            # 八月十五: people say so of the moon, and a machine that notes it down may mean the sun.
            yield from _lunar_mark(m, d)
            yield from _solar_mark(m, d)


def _is_lunar(found: re.Match[str]) -> bool:
    return found["leap"] is not None or found["month"] in _MONTHS_ZH or found["day"][0] in "初廿卅"


def _other_days(text: str) -> Iterator[str]:
    for found in _ISO.finditer(text):
        yield from _solar_mark(int(found[2]), int(found[3]))
    for found in _LUNAR_EN.finditer(text):
        yield from _lunar_mark(int(found[1]), int(found[2]))
    for found in _SHORT.finditer(text):
        yield from _solar_mark(int(found[1]), int(found[2]))
    for found in _MONTH_FIRST.finditer(text):
        yield from _solar_mark(_month_en(found[1]), int(found[2]))
    for found in _DAY_FIRST.finditer(text):
        yield from _solar_mark(_month_en(found[2]), int(found[1]))


def _festivals(text: str) -> Iterator[str]:
    folded = text.lower()
    for name, mark in _FESTIVALS.items():
        if name in folded:
            yield mark
    for found in _NEW_YEAR_ZH.finditer(text):
        yield from _lunar_mark(1, _number(found[1]))


def _counted(text: str, own: date) -> Iterator[int]:
    """Yields how many days behind its own day a note names another."""
    for found in _NTH_DAY.finditer(text):
        yield _number(found[1] or found[2] or found[3]) - 1
    for pattern in (_LATER, _FULL):
        for found in pattern.finditer(text):
            yield _days(_number(found[1]), found[2], own)
    for found in _LATER_EN.finditer(text):
        yield _days(int(found[1] or found[3]), (found[2] or found[4]).lower(), own)
    for found in _HALF.finditer(text):
        yield _months(6, own) if found[1] == "年" else 15
    for _ in _HUNDRED.finditer(text):
        yield 99


def _days(count: int, unit: str, own: date) -> int:
    if unit in ("天", "日", "day"):
        return count
    return _months(count, own) if unit in ("个月", "個月", "month") else 7 * count


def _months(count: int, own: date) -> int:
    """Returns the days to the same day `count` months on, or to that month's last when it is shorter; 0 for too far."""
    if count < 1 or count > _DAYS_MAX // 31:
        return 0
    year, month = divmod(own.year * 12 + own.month - 1 + count, 12)
    for day in range(own.day, own.day - 4, -1):
        found = _day(f"{year:04d}-{month + 1:02d}-{day:02d}")
        if found is not None:
            return (found - own).days
    return 0


def _solar_mark(month: int, day: int) -> Iterator[str]:
    if 1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month]:
        yield f"{month:02d}-{day:02d}"


def _lunar_mark(month: int, day: int) -> Iterator[str]:
    if 1 <= month <= 12 and 1 <= day <= _LUNAR_DAYS:
        yield f"L{month:02d}-{day:02d}"


def _solar(day: date) -> str:
    return f"{day.month:02d}-{day.day:02d}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _month_en(name: str) -> int:
    return _MONTHS_EN.index(name[:3].lower()) + 1


def _lunar_number(text: str) -> int:
    if text[0] in "廿卅":
        return _ZH[text[0]] + (_ZH[text[1]] if len(text) > 1 else 0)
    return _number(text.removeprefix("初"))


def _number(text: str) -> int:
    """Returns the value of digits or of Chinese numerals (十二, 一百零三, 百), 0 for what is none (五六, 零十)."""
    if text[0] not in _ZH and text[0] not in _UNITS:
        return int(text)
    total, digit, last_unit = 0, -1, 10_000
    for char in text:
        if char in _UNITS:
            if _UNITS[char] >= last_unit or digit == 0:
                return 0
            last_unit = _UNITS[char]
            total, digit = total + max(digit, 1) * last_unit, -1
        elif char not in "零〇":
            if digit >= 0:
                return 0
            digit = _ZH[char]
    return total + max(digit, 0)
