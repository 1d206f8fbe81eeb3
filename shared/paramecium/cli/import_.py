"""`paramecium import`: brings conversations from a file into the archive."""

import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell

if TYPE_CHECKING:
    from paramecium.jobs.extract_estimate import Estimate
    from paramecium.jobs.import_file import ImportReport
    from paramecium.wiring.life import LifeParts

SHOWN_MAX = 10


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON Lines, one conversation a line.")],
    extract: Annotated[
        bool, typer.Option("--extract", help="Have notes taken of it; says first what it costs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Brings conversations from a file into the archive.

    A second time adds only what is new.
    """
    given: Context = context.obj
    life = given.begin()
    met: list[str] = []
    with bar(f"import {file.name}") as progress:
        report = life.import_file(file, progress, met.append)
    cost = life.estimate_extract(met) if extract else None
    if as_json:
        counts = {f.name: getattr(report, f.name) for f in fields(report)}
        priced = {} if cost is None else {"extract": cost.to_json()}
        show_json(counts | {"refused": [str(r) for r in report.refused]} | priced)
    _tell_report(report, given.command)
    if cost is not None:
        _mark(life, cost, given)
    if report.refused:
        _end_with_refused(report.conversations)


def _tell_report(report: "ImportReport", command: str) -> None:
    new = f"{count(report.added, 'message')} new, {report.already:,} there already"
    tell(f"{count(report.conversations, 'conversation')}: {new}")
    if report.undated:
        tell(f"  {count(report.undated, 'date')} could not be read: kept without a date, the original beside it")
    if report.beside:
        tell(f"  {count(report.beside, 'message')} edited since: it stands beside, on a branch that --exact finds")
    for refused in report.refused[:SHOWN_MAX]:
        tell(f"  refused: {refused}")
    if len(report.refused) > SHOWN_MAX:
        tell(f"  and {len(report.refused) - SHOWN_MAX:,} more; --json lists them")
    if report.added:
        tell(f"next: `{command} ingest` makes them findable (`serve` does it by itself)")


def _mark(life: "LifeParts", cost: "Estimate", given: Context) -> None:
    """Says what notes would cost, asks where a person can answer, and has the next `extract` read them."""
    if not cost.messages:
        tell("extract: notes of all of it were taken before")
        return
    tell(
        f"extract: {count(cost.messages, 'message')} of {count(cost.conversations, 'conversation')} to read, in about "
        f"{count(cost.calls, 'call')} of the small model: {cost.tokens_in:,} tokens in, {cost.tokens_out:,} out"
    )
    if sys.stdin.isatty() and not typer.confirm("Take notes of them?", default=False, err=True):
        tell("extract: they are left as they are")
        return
    life.ask_for(cost)
    tell(f"extract: the next `{given.command} extract` reads them (`serve` does it by itself)")
    if given.settings.small_model is None:
        tell("note: no small model is configured, so extract is off until [small_model] names account and model")


def _end_with_refused(came_in: int) -> None:
    if came_in:
        tell("all other lines came in; mend these and import the file again")
    else:
        tell("nothing came in: this is no file of JSON Lines with one conversation a line (the README shows the form)")
    raise typer.Exit(1)
