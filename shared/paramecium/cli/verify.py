"""`paramecium verify`: proves that every word is there, or lists what is wrong."""

from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell, together
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
    tell(f"{count(report['entries'], 'message')} read, {count(report['passages'], 'passage')} compared")
    if report["waiting"]:
        waiting = count(report["waiting"], "message")
        tell(f"{waiting} not in the whole index yet: `ingest`, then `fts` (`serve` does both)")
    _end_if_wrong(report)
    compared = report["passages"] or not report["entries"]
    tell("everything is as it was said" if compared else "nothing is wrong, but there is no index yet to compare with")


def _end_if_wrong(report: Json) -> None:
    problems = report["problems"]
    for problem in problems[:SHOWN_MAX]:
        tell(f"  wrong: {problem}")
    if len(problems) > SHOWN_MAX:
        tell(f"  and {len(problems) - SHOWN_MAX} more; --json lists them")
    if problems:
        tell(
            f"{count(len(problems), 'problem')}; the archive is what counts: `paramecium rebuild` makes the index anew"
        )
        raise typer.Exit(1)
