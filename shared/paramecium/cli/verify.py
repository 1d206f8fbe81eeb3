"""`paramecium verify`: proves that every word is there, or lists what is wrong."""

from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell, together
from paramecium.messages import Json

SHOWN_MAX = 50


def verify(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Proves that every word is there, or lists what is wrong.

    The exit code is 1 when anything is.
    """
    given: Context = context.obj
    with bar("verify") as progress:
        report = together([life.verify(progress).to_json() for life in given.worked])
    if as_json:
        show_json(report)
    tell(f"{report['entries']} messages, {report['passages']} passages, {report['waiting']} wait for `ingest` or `fts`")
    _end_if_wrong(report)
    tell("everything is as it was said")


def _end_if_wrong(report: Json) -> None:
    problems = report["problems"]
    for problem in problems[:SHOWN_MAX]:
        tell(f"  wrong: {problem}")
    if len(problems) > SHOWN_MAX:
        tell(f"  and {len(problems) - SHOWN_MAX} more; --json lists them")
    if problems:
        tell(f"{len(problems)} problems; the archive is what counts: `paramecium rebuild` makes the index anew")
        raise typer.Exit(1)
