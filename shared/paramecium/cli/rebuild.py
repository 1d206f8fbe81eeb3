"""`paramecium rebuild`: makes the whole index anew from the archive."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell, together
from paramecium.cli.ingest import end_if_unreadable


def rebuild(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Makes the index anew from the archive.

    The archive is only read.
    """
    given: Context = context.obj
    with bar("rebuild") as progress:
        report = together([asdict(life.rebuild(progress)) for life in given.worked])
    if as_json:
        show_json(report)
    tell(f"the index stands anew: {count(report['messages'], 'message')}, {count(report['passages'], 'passage')}")
    end_if_unreadable(report)
