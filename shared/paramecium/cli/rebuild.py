"""`paramecium rebuild`: makes the whole index anew from the archive."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell


def rebuild(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Throws the index away and makes it anew from the archive, which is never touched."""
    given: Context = context.obj
    with bar("rebuild") as progress:
        report = given.life_parts.rebuild(progress)
    if as_json:
        show_json(asdict(report))
    tell(f"the index stands anew: {report.messages} messages, {report.passages} passages")
