"""`paramecium memories list` and `show`: the notes, and one with all that became of it."""

import sys
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paramecium.cli.context import Context, count, show_json, tell
from paramecium.errors import BadInput
from paramecium.messages import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paramecium.memories.events import Event
    from paramecium.memories.history import History
    from paramecium.memories.state import Memory, State

_STATES = ("live", "pinned", "superseded", "retired")
NO_NOTES = "there are no notes yet; `paramecium extract` takes them, and so does `serve`"
_UNKNOWN = "date unknown"


def list_(
    context: typer.Context,
    state: Annotated[str | None, typer.Option(help="Only live, pinned, superseded or retired ones.")] = None,
    find: Annotated[str | None, typer.Option(help="Only those whose content or quote has this in it.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Lists the notes, the first taken first."""
    given: Context = context.obj
    if state not in (*_STATES, None):
        raise BadInput(f"state is {state!r:.40}; it takes one of {', '.join(_STATES)}")
    if limit is not None and limit < 1:
        raise BadInput(f"limit is {limit}; it takes 1 or more")
    damage: list[str] = []
    folded = _state(given, damage.append)
    chosen = list(islice(_chosen(folded, state, find), limit))
    if as_json:
        sys.stdout.buffer.write(_array([_plain(folded, memory) for memory in chosen]))
    else:
        sys.stdout.write("".join(_line(folded, memory) for memory in chosen))
    sys.stdout.flush()
    if not chosen:
        tell("no note is of that kind" if folded.memories else NO_NOTES)
        given.note_if_new()
    if damage:
        tell("\n".join(damage))
        raise typer.Exit(1)


def show(
    context: typer.Context,
    memory: Annotated[
        str, typer.Argument(metavar="ID", help="The note's id, or its beginning; `list` shows it.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one document of JSON.")] = False,
) -> None:
    """Shows a note, the words it stands on, its history."""
    from paramecium.memories.hand import find
    from paramecium.memories.history import history_of
    from paramecium.memories.state import State, fold

    given: Context = context.obj
    given.note_if_new()
    events = given.life_parts.ledger.readable(warn=tell)
    state = fold(State(), events)
    history = history_of(state, events, find(state.memories, memory))
    if as_json:
        show_json(_whole(state, history))
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(history)))
        sys.stdout.flush()


def found(given: Context, name: str) -> "Memory":
    """Returns the memory a person names, as it stands now."""
    from paramecium.memories.hand import find

    return find(_state(given).memories, name)


def _state(given: Context, warn: "Callable[[str], None]" = tell) -> "State":
    from paramecium.memories.state import State, fold

    return fold(State(), given.life_parts.ledger.readable(warn=warn))


def _chosen(state: "State", standing: str | None, find: str | None) -> "Iterator[Memory]":
    from paramecium.index.fold import fold

    wanted = fold(find or "")
    for memory in state.memories.values():
        of_state = standing is None or state.standing(memory) == standing
        if of_state and any(wanted in fold(text) for text in (memory.note.content, memory.note.quote)):
            yield memory


def _array(items: list[Json]) -> bytes:
    from paramecium.messages import dump_json

    return dump_json(items) + b"\n"


def _plain(state: "State", memory: "Memory") -> Json:
    from paramecium.memories.titles import title_of

    note = memory.note
    shown = ("content", "quote", "conversation", "message", "start", "end")
    out: Json = {"id": note.id, "date": note.date, "title": title_of(note.content)}
    return out | {name: getattr(note, name) for name in shown} | {"state": state.standing(memory)}


def _line(state: "State", memory: "Memory") -> str:
    from paramecium.memories.titles import title_of

    standing = state.standing(memory)
    mark = "" if standing == "live" else f" [{standing}]"
    return f"{memory.note.id}  {memory.note.date or _UNKNOWN}{mark}  {title_of(memory.note.content)}\n"


def _whole(state: "State", history: "History") -> Json:
    memory, note = history.memory, history.memory.note
    recalls = [{"at": e.at, "by": e.by, "query": getattr(e.what, "query", "")} for e in history.recalls]
    return _plain(state, memory) | {
        "n": note.n,
        "said_at": note.said_at,
        "speaker": note.speaker,
        "role": note.role,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "fact": memory.fact,
        "superseded_by": list(history.later),
        "supersedes": list(history.earlier),
        "recalled": recalls,
        "events": [{"kind": _kind(e), "at": e.at, "by": e.by, "why": e.why} | _details(e) for e in history.events],
    }


def _lines(history: "History") -> "Iterator[str]":
    memory, note = history.memory, history.memory.note
    yield f"{note.id}  {note.date or _UNKNOWN}  {history.standing}"
    yield note.content
    yield f"  quote: {note.quote}"
    who = note.speaker or note.role
    yield f"  said by {who}, {_moment(note.said_at)}, in {note.conversation}, message {note.message} (number {note.n})"
    for word, ids in (("superseded by", history.later), ("supersedes", history.earlier)):
        if ids:
            yield f"  {word}: {', '.join(ids)}"
    if memory.valid_from or memory.valid_until:
        yield f"  holds from {memory.valid_from or 'ever'} until {memory.valid_until or 'further notice'}"
    if memory.fact:
        yield f"  corrected by {memory.fact}"
    yield f"  recalled {count(len(history.recalls), 'time')}"
    for event in history.recalls:
        yield f"    {_moment(event.at)} {event.by}: {getattr(event.what, 'query', '')}"
    for event in history.events:
        said = ", ".join(f"{name} {value}" for name, value in _details(event).items() if value not in ("", note.id))
        details, why = f" ({said})" * bool(said), f": {event.why}" * bool(event.why)
        yield f"  {_moment(event.at)} {_kind(event)} by {event.by}{details}{why}"


def _kind(event: "Event") -> str:
    return type(event.what).__name__


def _details(event: "Event") -> dict[str, Any]:
    """Returns what an event says besides its kind; a note is shown by itself."""
    other = {"by": "successor"} if _kind(event) == "Superseded" else {"by": "said_again_by"}
    names = [f.name for f in fields(event.what) if f.name != "note"]
    return {other.get(name, name): getattr(event.what, name) for name in names}


def _moment(at: str) -> str:
    return at[:16].replace("T", " ") or _UNKNOWN
