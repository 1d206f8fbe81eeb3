"""`paramecium menu`: shows what the menu would be for a text."""

import sys
from typing import Annotated

import typer

from paramecium.cli.context import Context, show_json, tell
from paramecium.cli.memories_list import NO_NOTES


def menu(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What the person says.")],
    conversation: Annotated[str | None, typer.Option(help="The conversation it is said in.")] = None,
    at: Annotated[str | None, typer.Option(help="When, such as 2026-06-12T23:47.  [default: now]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Shows which notes would stand beside a text."""
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
        tell(
            "the menu is empty"
            if len(given.life_parts.memory_views.view().memories)
            else f"the menu is empty: {NO_NOTES}"
        )
        given.note_if_new()
