"""What is placed beside a person's words, decided once, when they are stored: the clock line, facts, the menu.

Pure: the moment comes as an argument. Dates are absolute, so that they stay true for ever; what stands before the model
already is not said again, since all of it is sent again with every turn to come.
Invariant: what was given is rendered from the entry ever after and never made again.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from paramecium.memories.calendar import lunar_text
from paramecium.memories.documents import Document
from paramecium.memories.facts import fact_text
from paramecium.messages import Entry, Json
from paramecium.recall.menu import Menu
from paramecium.settings import Settings

_WEEKDAYS: Final = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


def make_given(
    settings: Settings,
    moment: datetime,
    previous: Entry | None = None,
    facts: Sequence[Document] = (),
    menu: Menu | None = None,
) -> Json:
    """Returns {"text", "menu": [{"id", "lanes"}], "facts": [{"path", "sha256"}]}, without what is empty.

    `previous` is the user message before on the path: on its day the clock line is the time alone.
    """
    lines = [_clock_line(settings, moment, previous), *(fact_text(fact, settings.language) for fact in facts)]
    given: Json = {"text": "\n".join([*lines, menu.text] if menu and menu.lines else lines)}
    if menu and menu.lines:
        given["menu"] = [{"id": line.id, "lanes": list(line.lanes)} for line in menu.lines]
    if facts:
        given["facts"] = [{"path": fact.path, "sha256": fact.sha256} for fact in facts]
    return given


def local_day(settings: Settings, moment: datetime) -> date:
    """Returns the day of a moment where the person lives."""
    return moment.astimezone(ZoneInfo(settings.timezone)).date()


def _clock_line(settings: Settings, moment: datetime, previous: Entry | None) -> str:
    """[2026-06-12 星期五 农历四月廿七 23:47], or [23:47] when the message before was given this day."""
    local = moment.astimezone(ZoneInfo(settings.timezone))
    if previous is not None and previous.given and _day_of(settings, previous) == local.date():
        return f"[{local:%H:%M}]"
    weekday = _WEEKDAYS[settings.language][local.weekday()]
    parts = (f"{local:%Y-%m-%d}", weekday, lunar_text(local.date(), settings.language), f"{local:%H:%M}")
    return f"[{' '.join(filter(None, parts))}]"


def _day_of(settings: Settings, entry: Entry) -> date | None:
    try:
        return local_day(settings, datetime.fromisoformat(entry.at))
    except (ValueError, OverflowError):
        return None
