"""`paramecium ingest`: brings what was said since the last time into the index."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell


def ingest(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Brings what was said since the last time into the index; stops and goes on at any point."""
    given: Context = context.obj
    with bar("ingest") as progress:
        report = given.life_parts.ingest(progress)
    if as_json:
        show_json(asdict(report))
    tell(f"{report.messages} messages, {report.passages} passages are new in the index")
