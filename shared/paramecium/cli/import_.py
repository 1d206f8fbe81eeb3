"""`paramecium import`: brings conversations from a file into the archive."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell

SHOWN_MAX = 10


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON Lines, one conversation a line.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Brings conversations from a file into the archive.

    A second time adds only what is new.
    """
    given: Context = context.obj
    life = given.begin()
    with bar(f"import {file.name}") as progress:
        report = life.import_file(file, progress)
    if as_json:
        counts = {f.name: getattr(report, f.name) for f in fields(report)}
        show_json(counts | {"refused": [str(r) for r in report.refused]})
    new = f"{count(report.added, 'message')} new, {report.already:,} there already"
    tell(f"{count(report.conversations, 'conversation')}: {new}")
    if report.undated:
        tell(f"  {count(report.undated, 'date')} could not be read: kept without a date, the original beside it")
    if report.beside:
        tell(f"  {count(report.beside, 'message')} edited since: it stands beside, on a branch that --exact finds")
    for refused in report.refused[:SHOWN_MAX]:
        tell(f"  refused: {refused}")
    if report.added:
        tell("next: `paramecium ingest` makes them findable (`serve` does it by itself)")
    if report.refused:
        _end_with_refused(len(report.refused), report.conversations)


def _end_with_refused(refused: int, came_in: int) -> None:
    if refused > SHOWN_MAX:
        tell(f"  and {refused - SHOWN_MAX:,} more; --json lists them")
    if came_in:
        tell("all other lines came in; mend these and import the file again")
    else:
        tell("nothing came in: this is no file of JSON Lines with one conversation a line (the README shows the form)")
    raise typer.Exit(1)
