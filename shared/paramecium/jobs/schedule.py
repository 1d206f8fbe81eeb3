"""The jobs' cadence inside `serve`: ingest and notes every ten minutes, full text once a night, all at the start, too.

Without a small model no notes are taken, which is said once.
Invariant: a job that fails is told and tried again at its next time; nothing it does not finish is lost.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.errors import NotConfigured, Stopped

INGEST_EVERY_S = 600.0
NIGHT = time(4, 0)
CLOCKS_DIFFER = timedelta(hours=1)


class Jobs(Protocol):
    """Is one life's work."""

    def ingest(self) -> object:
        """Brings what has arrived into the index."""
        ...

    def extract(self) -> object:
        """Takes notes of what has arrived; raises NotConfigured without a small model."""
        ...

    def build_fulltext(self) -> object:
        """Runs the nightly job."""
        ...

    def last_fulltext(self) -> datetime | None:
        """Returns when the nightly job last succeeded."""
        ...


Work = Sequence[tuple[str, Jobs]]
Tell = Callable[[str], None]


def run_jobs(work: Work, stopping: threading.Event, timezone: str, tell: Tell, *, now: clock.Now = clock.now) -> None:
    """Runs every life's jobs until `stopping` is set, which also ends the waiting in between at once."""
    is_noting = True
    while not stopping.is_set():
        for life, jobs in work:
            _run(life, "ingest", jobs.ingest, stopping, tell)
            is_noting = is_noting and _extract(life, jobs, stopping, tell)
            if not stopping.is_set() and due(jobs.last_fulltext, now(), timezone):
                _run(life, "full text", jobs.build_fulltext, stopping, tell)
        stopping.wait(INGEST_EVERY_S)


def due(last: Callable[[], datetime | None], now: datetime, timezone: str) -> bool:
    """Tells whether the nightly job's last success is older than the latest 04:00 of the zone, or there is none.

    One that lies in the future tells of a clock that was wrong, and counts as none.
    """
    try:
        when = last()
    except Exception:  # noqa: BLE001 (the job itself will tell what is wrong)
        return True
    return when is None or not latest_night(now, timezone) <= when <= now + CLOCKS_DIFFER


def latest_night(now: datetime, timezone: str) -> datetime:
    """Returns the latest 04:00 of the zone that is not in the future."""
    local = now.astimezone(ZoneInfo(timezone))
    night = datetime.combine(local.date(), NIGHT, local.tzinfo)
    return night if night <= local else night - timedelta(days=1)


def _extract(life: str, jobs: Jobs, stopping: threading.Event, tell: Tell) -> bool:
    """Takes notes of a life; returns whether it makes sense to do so again."""
    is_on = True

    def extract() -> object:
        nonlocal is_on
        try:
            return jobs.extract()
        except NotConfigured as error:
            is_on = False
            tell(str(error))
            return None

    report = _run(life, "extract", extract, stopping, tell)
    if done := getattr(report, "line", str)():
        tell(f"extract of {life}: {done}")
    return is_on


def _run(life: str, name: str, job: Callable[[], object], stopping: threading.Event, tell: Tell) -> object:
    if stopping.is_set():
        return None
    try:
        report = job()
    except Stopped:
        return None
    except Exception as error:  # noqa: BLE001 (the job loop outlives every job)
        tell(f"{name} of {life} failed and will be tried again: {error}")
        return None
    for reason in getattr(report, "unreadable", ()):
        tell(f"{name} of {life} left out a conversation: {reason}")
    return report
