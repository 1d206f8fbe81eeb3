"""`paramecium extract`: has the small model take notes of what was said since the last time."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell
from paramecium.messages import Json

if TYPE_CHECKING:
    from paramecium.jobs.extract_report import ExtractReport

# What becomes of the messages that were not read, by why they were not.
_WAITING: Final = {
    "limit": "the day's calls are used up, it goes on tomorrow",
    "silence": "what was said within the last hour is read once the talk has rested for one",
    "failed": "the model did not answer; nothing is lost, the next run asks again",
    "elsewhere": "another run is reading them",
}
# What else is counted, by its name in the report.
_COUNTED: Final = {
    "already": ("note", "stood already"),
    "superseded": ("earlier note", "superseded by a new one"),
    "revived": ("earlier note", "revived"),
    "unchecked": ("new note", "not compared with earlier ones yet; a later run does it"),
    "set_aside": ("part", "of the talk given up: three times the model had no answer to it"),
}


def extract(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Takes notes of what is new; each stands on a quote.

    It may be stopped and goes on at any point.
    """
    given: Context = context.obj
    lives = given.worked
    with bar("extract") as progress:
        reports = [life.extract(progress) for life in lives]
    merged = _together([report.to_json() for report in reports])
    if as_json:
        show_json(merged)
    for report in reports:
        for line in _lines(report, given.command):
            tell(line)
    for conversation in merged["unreadable"]:
        tell(f"  cannot be read, and was left out: {conversation}")
    if merged["failed"] or merged["unreadable"]:
        raise typer.Exit(1)


def _lines(report: "ExtractReport", command: str) -> Iterator[str]:
    """Yields what a person reads of one life; `command` begins what to do next."""
    if not report.line():
        yield "extract: nothing new to read"
        return
    asked = f"{count(report.calls, 'call')} of the small model"
    yield f"extract: {count(report.added, 'new note')} from {count(report.messages, 'message')}, in {asked}"
    for name, (what, told) in _COUNTED.items():
        if number := getattr(report, name):
            yield f"  {count(number, what)} {told}"
    if report.dropped:
        yield f"  dropped, as no words bear it out or it is no note: {_by_reason(report.dropped)}"
    for reason, number in report.waiting.items():
        yield f"  {count(number, 'message')} waiting: {_WAITING.get(reason, reason)}"
    if report.failed:
        yield f"  failed: {report.failed}"
    if report.added:
        yield f"next: `{command} memories list` shows every note"


def _by_reason(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {number}" for reason, number in sorted(counts.items()))


def _together(reports: list[Json]) -> Json:
    """Returns the reports of several lives as one: numbers added by name, the smallest rest of calls, any failure."""
    out = dict(reports[0])
    for other in reports[1:]:
        for name, value in other.items():
            out[name] = _sum(name, out[name], value)
    return out


def _sum(name: str, one: object, other: object) -> object:
    if isinstance(one, dict) and isinstance(other, dict):
        return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}
    if isinstance(one, int) and isinstance(other, int):
        return min(one, other) if name == "calls_left" else one + other
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return one or other
