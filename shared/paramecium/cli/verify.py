"""`paramecium verify`: proves that every word is there, or lists what is wrong."""

from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell

SHOWN_MAX = 50


def verify(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Reads everything and compares: exit code 1 and a list when anything is wrong."""
    given: Context = context.obj
    with bar("verify") as progress:
        report = given.life_parts.verify(progress)
    if as_json:
        show_json(report.to_json())
    tell(f"{report.entries} messages, {report.passages} passages, {report.waiting} waiting to be indexed")
    for problem in report.problems[:SHOWN_MAX]:
        tell(f"  wrong: {problem}")
    if report.problems:
        tell(f"{len(report.problems)} problems; the archive is what counts: `paramecium rebuild` makes the index anew")
        raise typer.Exit(1)
    tell("everything is as it was said")
