"""`paramecium menu`: shows what the menu would be for a text."""

import sys
from typing import Annotated

import typer

from paramecium.cli.context import Context, show_json, tell


def menu(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What the person says.")],
    conversation: Annotated[str | None, typer.Option(help="The conversation it is said in.")] = None,
    at: Annotated[str | None, typer.Option(help="When, such as 2026-06-12T23:47.  [default: now]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Shows which notes would be listed beside a text; counts as nothing."""
    given: Context = context.obj
    shown = given.life_parts.preview.show(text, conversation, at)
    if as_json:
        show_json(shown)
    else:
        sys.stdout.write(shown["text"] + "\n" * bool(shown["text"]))
        sys.stdout.flush()
    if shown["late"]:
        tell(f"these lanes did not come in time: {', '.join(shown['late'])}")
    if not shown["lines"]:
        tell("the menu is empty")
        given.note_if_new()
