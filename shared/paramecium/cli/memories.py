"""`paramecium memories`: lists the notes that were taken, shows one whole, and changes it by hand."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from paramecium.cli import memories_list
from paramecium.cli.context import Context, show_json, tell

if TYPE_CHECKING:
    from paramecium.memories.hand import Deed, Hand

app = typer.Typer(name="memories", help="Lists, shows and changes the notes.", rich_markup_mode=None)

Id = Annotated[
    str, typer.Argument(metavar="ID", help="The note's id, or its beginning; `list` shows it.", show_default=False)
]
Why = Annotated[str, typer.Option("--why", help="Why; it is kept with the change.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one document of JSON.")]

app.command("list")(memories_list.list_)
app.command("show")(memories_list.show)


@app.command("pin")
def pin(context: typer.Context, memory: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Lets nothing supersede a note."""
    _change(context, lambda hand: hand.pin(memory, why), as_json, ("pinned", "is pinned already"))


@app.command("unpin")
def unpin(context: typer.Context, memory: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Takes a pin back."""
    _change(context, lambda hand: hand.unpin(memory, why), as_json, ("unpinned", "is not pinned"))


@app.command("retire")
def retire(context: typer.Context, memory: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Takes a note out of all that is listed and found."""
    _change(context, lambda hand: hand.retire(memory, why), as_json, ("retired", "is retired already"))


@app.command("unretire")
def unretire(context: typer.Context, memory: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Takes a retirement or a correction back.

    The fact written with a correction stays; delete its file if it no longer holds.
    """
    given: Context = context.obj
    fact = memories_list.found(given, memory).fact
    deed = _change(context, lambda hand: hand.unretire(memory, why), as_json, ("no longer retired", "is not retired"))
    if deed.changed and fact:
        tell(f"{fact} is left as it is; delete it if it no longer holds")


@app.command("revive")
def revive(context: typer.Context, memory: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Lets a superseded note hold again."""
    _change(context, lambda hand: hand.revive(memory, why), as_json, ("revived", "is not superseded"))


@app.command("supersede")
def supersede(
    context: typer.Context,
    memory: Id,
    by: Annotated[str, typer.Option("--by", help="Id of the note that stands for it.", show_default=False)],
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Lets another note stand for this one."""
    said = ("superseded", "is superseded by it already")
    _change(context, lambda hand: hand.supersede(memory, by, why), as_json, said)


@app.command("validity")
def validity(
    context: typer.Context,
    memory: Id,
    valid_from: Annotated[str | None, typer.Option("--from", help='First day, YYYY-MM-DD; "" for open.')] = None,
    valid_until: Annotated[str | None, typer.Option("--until", help='Last day, YYYY-MM-DD; "" for open.')] = None,
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Says from and until which day a note holds.

    An end that is not named stays as it is.
    """
    said = ("validity changed", "has this validity already")
    _change(context, lambda hand: hand.validity(memory, valid_from, valid_until, why), as_json, said)


@app.command("correct")
def correct(
    context: typer.Context,
    memory: Id,
    text: Annotated[str, typer.Argument(help="What is right instead, kept to the last character.", show_default=False)],
    why: Why = "",
    as_json: AsJson = False,
) -> None:
    """Retires a wrong note, writes what is right as a fact."""
    deed = _change(
        context, lambda hand: hand.correct(memory, text, why), as_json, ("corrected", "is corrected so already")
    )
    tell(f"what is right stands in {deed.memory.fact}")


def _change(context: typer.Context, do: "Callable[[Hand], Deed]", as_json: bool, said: tuple[str, str]) -> "Deed":
    """Does it and says what came of it; `said` is the word for done, and that for what was so already."""
    given: Context = context.obj
    given.note_if_new()
    deed = do(given.life_parts.hand)
    ident = deed.memory.note.id
    if as_json:
        show_json({"id": ident, "state": deed.state, "changed": deed.changed})
    done, already = said
    tell(f"{done}: {ident}; it is {deed.state} now" if deed.changed else f"{ident} {already}; nothing was changed")
    return deed
