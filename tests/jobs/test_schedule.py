"""The cadence of the jobs: at once, every ten minutes, once a night; and nothing ends the loop but the stop."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from paramecium.errors import Damaged, ModelMissing, NotConfigured, Stopped
from paramecium.jobs import schedule
from paramecium.jobs.extract_report import ExtractReport
from paramecium.jobs.ingest import IngestReport
from tests.fakes import FixedClock

SHANGHAI = "Asia/Shanghai"


def at(text: str, zone: str = "UTC") -> datetime:
    """Returns a moment of a zone."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize(
    ("now", "zone", "night"),
    [
        ("2026-06-12T03:59:59.999999", SHANGHAI, "2026-06-10T20:00+00:00"),
        ("2026-06-12T04:00", SHANGHAI, "2026-06-11T20:00+00:00"),
        ("2026-06-12T23:59", SHANGHAI, "2026-06-11T20:00+00:00"),
        ("2026-01-01T00:30", SHANGHAI, "2025-12-30T20:00+00:00"),
        ("2026-03-08T05:00", "America/New_York", "2026-03-08T08:00+00:00"),
        ("2026-03-08T01:59", "America/New_York", "2026-03-07T09:00+00:00"),
        ("2026-11-01T03:00", "America/New_York", "2026-10-31T08:00+00:00"),
        ("2026-11-01T04:30", "America/New_York", "2026-11-01T09:00+00:00"),
        ("2026-03-29T12:00", "Europe/Berlin", "2026-03-29T02:00+00:00"),
        ("2026-10-25T12:00", "Europe/Berlin", "2026-10-25T03:00+00:00"),
        ("2026-06-12T00:00", "Pacific/Kiritimati", "2026-06-10T14:00+00:00"),
        ("2026-06-12T04:00", "Asia/Kathmandu", "2026-06-11T22:15+00:00"),
    ],
)
def test_the_latest_night_of_a_zone(now: str, zone: str, night: str) -> None:
    """It is the last 04:00 by the wall clock there, summer time or not, and is the same asked in UTC."""
    local = at(now, zone)
    assert schedule.latest_night(local, zone) == datetime.fromisoformat(night)
    assert schedule.latest_night(local.astimezone(UTC), zone) == datetime.fromisoformat(night)


def test_every_hour_of_two_years_lies_within_a_day_behind_its_night() -> None:
    """No change of clocks loses a night or finds one in the future."""
    moment = at("2025-01-01T00:00")
    nights = set()
    for _ in range(2 * 365 * 24):
        moment += timedelta(hours=1)
        night = schedule.latest_night(moment, "America/New_York")
        assert timedelta(0) <= moment - night.astimezone(UTC) < timedelta(hours=25)
        nights.add(night.date())
    assert len(nights) == 2 * 365 + 1


def test_when_the_night_s_work_is_due() -> None:
    """Never done, done before the last 04:00, unreadable, or in the future: due; done since: not."""
    now = at("2026-06-12T09:00", SHANGHAI)

    def due(last: datetime | None) -> bool:
        return schedule.due(lambda: last, now, SHANGHAI)

    def broken() -> None:
        raise Damaged("the cursor is damaged")

    assert due(None)
    assert due(at("2026-06-12T03:59:59", SHANGHAI))
    assert not due(at("2026-06-12T04:00", SHANGHAI))
    assert not due(at("2026-06-11T20:00").astimezone(UTC))
    assert not due(now + timedelta(minutes=59))
    assert due(now + timedelta(days=400))
    assert schedule.due(broken, now, SHANGHAI)


class Rounds(threading.Event):
    """Is an event that never waits: it counts the waits, and is set after so many; in between, time goes on."""

    def __init__(self, rounds: int, clock: FixedClock) -> None:
        super().__init__()
        self.left, self.clock, self.waits = rounds, clock, list[float | None]()

    def wait(self, timeout: float | None = None) -> bool:
        """Lets the time pass that would be waited."""
        self.waits.append(timeout)
        self.clock.forward(seconds=timeout or 0)
        self.left -= 1
        if self.left <= 0:
            self.set()
        return self.is_set()


class Diary:
    """Is one life's work, written down; `failing` is what a job raises."""

    def __init__(self, clock: FixedClock, failing: Callable[[str], Exception | None] = lambda _: None) -> None:
        self.clock, self.failing = clock, failing
        self.has_model = False
        self.done: list[str] = []
        self.last: datetime | None = None

    def ingest(self) -> IngestReport:
        """Works."""
        self._do("ingest")
        return IngestReport(unreadable=("main/x: no block",) if self.done.count("ingest") == 2 else ())

    def extract(self) -> ExtractReport:
        """Works, if there is a small model."""
        if not self.has_model:
            raise NotConfigured("extract is off")
        self._do("extract")
        return ExtractReport(calls=2, dropped={"not_quoted": 1}) if self.done.count("extract") == 1 else ExtractReport()

    def build_fulltext(self) -> None:
        """Works."""
        self._do("fts")
        self.last = self.clock()

    def last_fulltext(self) -> datetime | None:
        """Returns when it was done."""
        return self.last

    def _do(self, job: str) -> None:
        self.done.append(job)
        if error := self.failing(job):
            raise error


def run(rounds: int, *lives: Diary, clock: FixedClock) -> tuple[Rounds, list[str]]:
    """Runs the jobs so many rounds."""
    stopping, told = Rounds(rounds, clock), list[str]()
    work = [(f"life-{i}", diary) for i, diary in enumerate(lives)]
    schedule.run_jobs(work, stopping, SHANGHAI, told.append, now=clock)
    return stopping, told


def test_at_once_then_every_ten_minutes_and_once_a_night() -> None:
    """In a day and a night there are 144 ingests a day, and the full text at the start and after each 04:00."""
    clock = FixedClock(at("2026-06-12T09:00", SHANGHAI))
    diary = Diary(clock)
    stopping, told = run(2 * 144, diary, clock=clock)
    assert diary.done[:3] == ["ingest", "fts", "ingest"]
    assert (diary.done.count("ingest"), diary.done.count("fts")) == (288, 3)
    assert set(stopping.waits) == {600.0}
    assert told == ["extract is off", "ingest of life-0 left out a conversation: main/x: no block"]


def test_a_failing_job_is_told_and_tried_again_and_stops_nobody_else() -> None:
    """The other job of the life and the other lives go on; the night's work is tried again ten minutes later."""
    clock = FixedClock(at("2026-06-12T09:00", SHANGHAI))
    bad = Diary(clock, lambda job: ModelMissing(f"no model for {job}"))
    good = Diary(clock)
    _, told = run(3, bad, good, clock=clock)
    assert bad.done == ["ingest", "fts"] * 3
    assert good.done == ["ingest", "fts", "ingest", "ingest"]
    assert told.count("ingest of life-0 failed and will be tried again: no model for ingest") == 3
    assert told.count("full text of life-0 failed and will be tried again: no model for fts") == 3


def test_notes_are_taken_behind_each_ingest_and_told_in_one_line_of_counts() -> None:
    """With a small model every round takes notes of every life; a line comes only when something was done."""
    clock = FixedClock(at("2026-06-12T09:00", SHANGHAI))
    diaries = Diary(clock), Diary(clock)
    for diary in diaries:
        diary.has_model = True
    _, told = run(2, *diaries, clock=clock)
    assert diaries[0].done == ["ingest", "extract", "fts", "ingest", "extract"]
    line = "calls 2, dropped 1 (not_quoted 1)"
    assert [t for t in told if t.startswith("extract")] == [f"extract of life-0: {line}", f"extract of life-1: {line}"]


def test_without_a_small_model_that_is_said_once() -> None:
    """For all lives and rounds there is one sentence."""
    clock = FixedClock(at("2026-06-12T09:00", SHANGHAI))
    _, told = run(5, Diary(clock), Diary(clock), clock=clock)
    assert told.count("extract is off") == 1


def test_asked_to_stop_it_begins_nothing_more() -> None:
    """A job that is stopped is no failure, and neither the other job nor another life is begun."""
    clock = FixedClock(at("2026-06-12T09:00", SHANGHAI))
    stopping, told = threading.Event(), list[str]()

    def stop(job: str) -> Exception:
        stopping.set()
        return Stopped(f"{job} was asked to stop")

    first, second = Diary(clock, stop), Diary(clock)
    schedule.run_jobs([("a", first), ("b", second)], stopping, SHANGHAI, told.append, now=clock)
    assert (first.done, second.done, told) == (["ingest"], [], [])
    schedule.run_jobs([("a", first)], stopping, SHANGHAI, told.append, now=clock)
    assert first.done == ["ingest"]


def test_the_stop_ends_the_waiting() -> None:
    """A loop that waits for its next round ends when the event is set."""
    stopping, worked = threading.Event(), threading.Event()
    diary = Diary(FixedClock())
    diary.build_fulltext = worked.set  # type: ignore[method-assign]
    loop = threading.Thread(target=schedule.run_jobs, args=([("a", diary)], stopping, SHANGHAI, print))
    loop.start()
    assert worked.wait(30)
    stopping.set()
    loop.join(30)
    assert not loop.is_alive()
