"""`paramecium recall`: finds what was said and prints it word for word."""

from typing import Annotated

import typer

from paramecium.cli.context import Context, show_json, tell
from paramecium.messages import Json


def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for.")],
    exact: Annotated[bool, typer.Option("--exact", help="Find these very characters.")] = False,
    after: Annotated[str | None, typer.Option(help="Only from this day on, YYYY-MM-DD.")] = None,
    before: Annotated[str | None, typer.Option(help="Only up to this day, YYYY-MM-DD.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    n: Annotated[int, typer.Option("--n", help="How many windows.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Finds what was said, by meaning and by words, and prints it word for word."""
    given: Context = context.obj
    raw: Json = {"query": query, "exact": exact, "after": after, "before": before, "conversation": conversation, "n": n}
    found = given.parts.search(given.life, raw)
    if as_json:
        show_json(found)
        return
    if not found["windows"]:
        tell("nothing was found; try other words, wider dates, or --exact for the very characters")
        return
    typer.echo(given.life_parts.recall.answer(raw).text)
