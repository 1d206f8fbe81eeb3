"""`paramecium fts`: builds the full text, finds lost arrivals, compacts the index and clears what nobody names."""

from dataclasses import asdict
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, show_json, tell


def fts(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Builds the full text over everything ingested, as the nightly job does."""
    given: Context = context.obj
    with bar("full text") as progress:
        report = given.life_parts.build_fulltext(progress)
    if as_json:
        show_json(asdict(report))
    tell(
        f"full text over {report.messages} messages; "
        f"{report.found} lost arrivals found, {report.removed} objects cleared"
    )
