"""`paramecium recall`: finds what was said and prints it word for word."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from paramecium.cli.context import Context, count, on_one_line, show_json, tell
from paramecium.messages import Json

if TYPE_CHECKING:
    from paramecium.recall.notes import FoundNote
    from paramecium.recall.search import Found
    from paramecium.recall.windows import Piece, Window

_UNKNOWN = "date unknown"
_CUT = "…"


def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for.")],
    exact: Annotated[bool, typer.Option("--exact", help="Find these very characters.")] = False,
    after: Annotated[str | None, typer.Option(help="Only from this day on, YYYY-MM-DD.")] = None,
    before: Annotated[str | None, typer.Option(help="Only up to this day, YYYY-MM-DD.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    n: Annotated[int, typer.Option("--n", help="How many places, at most 50.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Finds what was said and prints it word for word."""
    given: Context = context.obj
    raw: Json = {"query": query, "exact": exact, "after": after, "before": before, "conversation": conversation, "n": n}
    found = _found(given, raw)
    if as_json:
        document = found.to_json()
        show_json({name: document[name] for name in ("memories", "windows")})
    else:
        sys.stdout.write("\n".join([*map(_note, found.memories), *map(_shown, found.windows)]))
        sys.stdout.flush()
    _tell_what_is_missing(given, found, exact)


def _found(given: Context, raw: Json) -> "Found":
    from paramecium.recall.tool import read_query

    return given.life_parts.finder.recall(read_query(raw))


def _tell_what_is_missing(given: Context, found: "Found", exact: bool) -> None:
    if found.damaged:
        tell("part of the index is damaged, something may be missing; `paramecium rebuild` makes it anew")
    if found.waiting:
        tell(f"{count(found.waiting, 'block')} of newer talk cannot be searched yet; `paramecium ingest` takes them in")
    if found.next:
        tell("there is more; a larger --n (up to 50), or dates, show it")
    if not found.windows and not found.memories:
        others = (
            "fewer characters or wider dates" if exact else "other words, wider dates, or --exact for the very ones"
        )
        tell(f"nothing was found; try {others}")
        given.note_if_new()


def _note(found: "FoundNote") -> str:
    note = found.memory.note
    before = "".join(f"  before {m.note.date or _UNKNOWN}: {on_one_line(m.note.content)}\n" for m in found.earlier)
    when = note.said_at[:16].replace("T", " ") or _UNKNOWN
    head = f"[{note.date or _UNKNOWN} · note: {on_one_line(note.content)} · {note.id}]\n"
    return f"{head}{before}{note.speaker or note.role} ({when}): {_CUT}{note.quote}{_CUT}\n"


def _shown(window: "Window") -> str:
    branch = " · other branch" if window.other_branch else ""
    head = f"[{window.date or _UNKNOWN} · {window.title}{branch} · {window.conversation}]\n"
    return head + "".join(map(_line, window.pieces))


def _line(piece: "Piece") -> str:
    said = piece.said
    when = said.at[:16].replace("T", " ") or _UNKNOWN
    before, behind = _CUT * (piece.start > 0), _CUT * (piece.end < len(said.text))
    return f"{said.speaker or said.role} ({when}): {before}{piece.text}{behind}\n"
