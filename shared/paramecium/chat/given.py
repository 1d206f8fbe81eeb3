"""What is placed beside a person's words, decided once, when they are stored.

Pure: the moment comes as an argument. Knows the clock line; dates are absolute, so that they stay true for ever.
Invariant: what was given is rendered from the entry ever after and never made again.
"""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from paramecium.messages import Json
from paramecium.settings import Settings

_WEEKDAYS: Final = {
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}


def make_given(settings: Settings, moment: datetime) -> Json:
    """Returns {"text"}: the clock line in the settings' zone, such as [2026-06-12 星期五 23:47]."""
    local = moment.astimezone(ZoneInfo(settings.timezone))
    weekday = _WEEKDAYS[settings.language][local.weekday()]
    return {"text": f"[{local:%Y-%m-%d} {weekday} {local:%H:%M}]"}
