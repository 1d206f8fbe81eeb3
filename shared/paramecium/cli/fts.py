"""`paramecium fts`: builds the full text, finds lost arrivals, compacts the index and clears what nobody names."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell, together
from paramecium.cli.ingest import end_if_unreadable


def fts(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Builds the full text, as the nightly job does."""
    given: Context = context.obj
    with bar("full text") as progress:
        report = together([asdict(life.build_fulltext(progress)) for life in given.worked])
    if as_json:
        show_json(report)
    tell(f"every word of {count(report['messages'], 'message')} can be searched for")
    if report["found"]:
        tell(f"{count(report['found'], 'message')} that nothing had told of came in")
    if report["removed"]:
        tell(f"{count(report['removed'], 'old file')} of the index cleared")
    end_if_unreadable(report)
