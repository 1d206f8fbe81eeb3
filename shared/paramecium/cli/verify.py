"""`paramecium verify`: proves that every word is there, or lists what is wrong."""

from collections.abc import Sequence
from typing import Annotated

import typer

from paramecium.cli.context import Context, bar, count, show_json, tell, together

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
        reports = [life.verify(progress) for life in given.worked]
    report = together([r.to_json() for r in reports])
    if as_json:
        show_json(report)
    tell(f"{count(report['entries'], 'message')} read, {count(report['passages'], 'passage')} compared")
    if memories := sum(r.memories for r in reports):
        tell(f"{count(memories, 'note')} compared with the words they stand on")
    if report["waiting"]:
        waiting = count(report["waiting"], "text")
        tell(
            f"{waiting}, said or written by hand, not in the whole index yet: `ingest`, then `fts` (`serve` does both)"
        )
    _end_if_wrong(report["problems"], sum(r.archive_problems for r in reports))
    compared = report["passages"] or not report["entries"]
    tell("everything is as it was said" if compared else "nothing is wrong, but there is no index yet to compare with")


def _end_if_wrong(problems: Sequence[str], of_the_archive: int) -> None:
    for problem in problems[:SHOWN_MAX]:
        tell(f"  wrong: {problem}")
    if len(problems) > SHOWN_MAX:
        tell(f"  and {len(problems) - SHOWN_MAX} more; --json lists them")
    if not problems:
        return
    tell(count(len(problems), "problem"))
    if of_the_archive:
        tell(f"{of_the_archive} of the archive itself: put these files back from a copy, and do not rebuild before: ")
        tell("the index is the only other witness of what was said")
    else:
        tell("all of the index, which `paramecium rebuild` makes anew from the archive")
    raise typer.Exit(1)
