"""What became of one memory, told from the events: who did what, when and why, and how often it was recalled.

Pure. Invariant: an event that stands twice is told once; nothing here decides how a memory stands (see `state`).
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from paramecium.memories.events import Added, Event, Later, Recalled, Revived, Superseded
from paramecium.memories.state import CHAIN_MAX, Memory, Standing, State


class History(NamedTuple):
    """Is a memory with all that happened to it, oldest first.

    `later` are the ids of its successors, `earlier` of what it supersedes, nearest first; `recalls` are the calls that
    opened it, `events` all else that names it.
    """

    memory: Memory
    standing: Standing
    later: tuple[str, ...]
    earlier: tuple[str, ...]
    events: tuple[Event, ...]
    recalls: tuple[Event, ...]


def history_of(state: State, events: Iterable[Event], memory: Memory) -> History:
    """Returns the history of a memory of `state`, the fold of `events`."""
    ident = memory.note.id
    known: dict[str, Event] = {}
    for event in events:
        known.setdefault(event.id, event)
    naming = [event for event in known.values() if ident in named_by(event)]
    recalls = tuple(e for e in naming if isinstance(e.what, Recalled))
    others = tuple(e for e in naming if not isinstance(e.what, Recalled))
    later = _along(ident, lambda i: _successor(state, i))
    earlier = _along(ident, lambda i: tuple(m.note.id for m in state.earlier(i)))
    return History(memory, state.standing(memory), later, earlier, others, recalls)


def named_by(event: Event) -> tuple[str, ...]:
    """Returns the ids of the memories an event names."""
    match event.what:
        case Added(note):
            return (note.id,)
        case Recalled(memories):
            return memories
        case Superseded(memory, by) | Revived(memory, by):
            return (memory, by) if by else (memory,)
        case Later():
            return ()
        case what:
            return (what.memory,)


def _successor(state: State, ident: str) -> tuple[str, ...]:
    memory = state.memories[ident]
    return (memory.superseded_by,) if state.standing(memory) == "superseded" else ()


def _along(ident: str, follow: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Returns what is reached from `ident`, nearest first."""
    reached: dict[str, None] = {}
    edge = follow(ident)
    while edge and len(reached) < CHAIN_MAX:
        reached |= dict.fromkeys(edge)
        edge = tuple(other for one in edge for other in follow(one))
    return tuple(reached)
