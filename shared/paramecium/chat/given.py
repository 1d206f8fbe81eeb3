"""What is placed beside a person's words, decided once, when they are stored: the clock line, facts, the menu.

Pure: the moment comes as an argument. Dates are absolute, so that they stay true for ever; what stands before the model
already is not said again, since all of it is sent again with every turn to come.
Invariant: what was given is rendered from the entry ever after and never made again.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from paramecium.memories.calendar import lunar_text
from paramecium.memories.documents import Document
from paramecium.memories.facts import fact_text
from paramecium.messages import Entry, Json
from paramecium.recall.menu import Menu
from paramecium.settings import Settings

# Where people say a few characters a minute, a line with each message would be a third of the talk.
CLOCK_EVERY: Final = timedelta(minutes=10)
_CLOCK: Final = re.compile(r"\[(?:\d{4}-\d\d-\d\d [^\]\n]*)?\d\d:\d\d\](?:\n|\Z)")
_WEEKDAYS: Final = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


def make_given(
    settings: Settings,
    moment: datetime,
    path: Sequence[Entry] = (),
    facts: Sequence[Document] = (),
    menu: Menu | None = None,
) -> Json:
    """Returns {"text", "menu": [{"id", "lanes"}], "facts": [{"path", "sha256"}]}, menu and facts only where there are.

    `path` is what was said before. On the day of the last clock line on it the next one is the time alone, and there is
    none while that one is younger than ten minutes.
    """
    lines = [_clock_line(settings, moment, path), *(fact_text(fact, settings.language) for fact in facts)]
    given: Json = {"text": "\n".join(filter(None, [*lines, menu.text] if menu and menu.lines else lines))}
    if menu and menu.lines:
        given["menu"] = [{"id": line.id, "lanes": list(line.lanes)} for line in menu.lines]
    if facts:
        given["facts"] = [{"path": fact.path, "sha256": fact.sha256} for fact in facts]
    return given


def local_day(settings: Settings, moment: datetime) -> date:
    """Returns the day of a moment where the person lives."""
    return moment.astimezone(ZoneInfo(settings.timezone)).date()


def _clock_line(settings: Settings, moment: datetime, path: Sequence[Entry]) -> str:
    """[2026-06-12 星期五 农历四月廿七 23:47], [23:47] when the day was told already, or nothing when the time was."""
    told, local = _last_told(path), moment.astimezone(ZoneInfo(settings.timezone))
    if told is not None and local_day(settings, told) == local.date():
        # Reckoned in UTC: two moments of one zone are compared as if its clocks were never put back.
        passed = moment.astimezone(UTC) - told.astimezone(UTC)
        return "" if timedelta() <= passed < CLOCK_EVERY else f"[{local:%H:%M}]"
    weekday = _WEEKDAYS[settings.language][local.weekday()]
    parts = (f"{local:%Y-%m-%d}", weekday, lunar_text(local.date(), settings.language), f"{local:%H:%M}")
    return f"[{' '.join(filter(None, parts))}]"


def _last_told(path: Sequence[Entry]) -> datetime | None:
    """Returns the moment of the last clock line, None when there is none or it cannot be read."""
    given = ((entry, str((entry.given or {}).get("text", ""))) for entry in reversed(path))
    entry = next((entry for entry, text in given if _CLOCK.match(text)), None)
    try:
        return datetime.fromisoformat(entry.at) if entry is not None else None
    except ValueError:
        return None
