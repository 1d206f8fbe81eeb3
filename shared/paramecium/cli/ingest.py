"""`paramecium ingest`: brings what was said since the last time into the index."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell, together
from paramecium.messages import Json


def ingest(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Brings what is new in the archive into the index.

    It may be stopped and goes on at any point.
    """
    given: Context = context.obj
    with bar("ingest") as progress:
        report = together([asdict(life.ingest(progress)) for life in given.worked])
    if as_json:
        show_json(report)
    tell(f"new in the index: {count(report['messages'], 'message')}, {count(report['passages'], 'passage')}")
    if report["documents"]:
        tell(f"  among them what was written by hand: {count(report['documents'], 'document')}")
    end_if_unreadable(report)


def end_if_unreadable(report: Json) -> None:
    """Ends with exit code 1 when conversations were left out, naming them."""
    for conversation in report["unreadable"]:
        tell(f"  cannot be read, and was left out: {conversation}")
    if report["unreadable"]:
        tell("all else is in the index; `paramecium verify` says what is wrong with these")
        raise typer.Exit(1)
