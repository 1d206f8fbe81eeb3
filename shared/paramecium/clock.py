"""The only file that asks the time or rolls dice; everything above gets both as values.

Ids are ULIDs in lower case: 10 characters of milliseconds, 16 of chance, sortable by time
(https://github.com/ulid/spec).
"""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10

Now = Callable[[], datetime]


def now() -> datetime:
    """Returns the present moment in UTC."""
    return datetime.now(UTC)


def monotonic_s() -> float:
    """Returns seconds that never run backwards, for measuring and time limits."""
    return time.monotonic()


def new_id(moment: datetime | None = None) -> str:
    """Returns a new ULID in lower case, 26 characters, for `moment` or now."""
    ms = int((moment or now()).timestamp() * 1000)
    return _base32(ms, _TIME_CHARS) + _base32(secrets.randbits(80), 16)


def id_moment(ulid: str) -> datetime:
    """Returns the moment a ULID was made; raises ValueError for what is none."""
    ms = 0
    for char in ulid[:_TIME_CHARS]:
        ms = ms * 32 + _CROCKFORD.index(char)
    return datetime.fromtimestamp(ms / 1000, UTC)


def new_token() -> str:
    """Returns a new access token, 43 characters of 256 bits of chance."""
    return secrets.token_urlsafe(32)


def local_iso(moment: datetime, timezone: str) -> str:
    """Returns ISO 8601 with the offset of `timezone`, to the millisecond."""
    return moment.astimezone(ZoneInfo(timezone)).isoformat(timespec="milliseconds")


def wait(seconds: float) -> None:
    """Waits; stores use it between two tries."""
    time.sleep(seconds)


def jitter(seconds: float) -> float:
    """Returns between half and all of `seconds`, so that writers who met do not meet again."""
    return seconds * (0.5 + secrets.randbelow(1000) / 2000)


def _base32(number: int, chars: int) -> str:
    out = [""] * chars
    for i in range(chars - 1, -1, -1):
        number, digit = divmod(number, 32)
        out[i] = _CROCKFORD[digit]
    return "".join(out)
