"""`paramecium extract`: has the small model take notes of what was said since the last time."""

from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell
from paramecium.messages import Json


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
        tell(f"extract: {report.line() or 'nothing new to read'}")
    if merged["waiting"].get("limit"):
        tell(f"  {count(merged['waiting']['limit'], 'message')} wait: the day's calls are used up, it goes on tomorrow")
    for conversation in merged["unreadable"]:
        tell(f"  cannot be read, and was left out: {conversation}")
    if merged["failed"] or merged["unreadable"]:
        raise typer.Exit(1)


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
