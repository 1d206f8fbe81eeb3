"""`paramecium import`: brings conversations from a file into the archive."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON Lines, one conversation a line.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Brings conversations from a file into the archive.

    A second time adds only what is new.
    """
    given: Context = context.obj
    with bar(f"import {file.name}") as progress:
        report = given.life_parts.import_file(file, progress)
    if as_json:
        counts = {f.name: getattr(report, f.name) for f in fields(report)}
        show_json(counts | {"refused": [str(r) for r in report.refused]})
    tell(f"{report.conversations} conversations: {report.added} messages are new, {report.already} were there already")
    for refused in report.refused:
        tell(f"  refused: {refused}")
    if report.refused:
        tell("all other lines came in; mend these and import the file again")
        raise typer.Exit(1)
    tell("next: `paramecium ingest` makes them findable (`serve` does it by itself)")
