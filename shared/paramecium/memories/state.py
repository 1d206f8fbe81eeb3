"""What the events add up to: every memory as it stands, the moments it was recalled in, and what followed what.

Pure. Knows no store and no clock. Invariant: folding is the same from any starting point,
`fold(fold(s, a), b) == fold(s, a + b)`, and an event that comes twice counts once.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from paramecium.memories.events import (
    Added,
    Corrected,
    Event,
    Forgotten,
    Later,
    Note,
    Pinned,
    Recalled,
    Retired,
    Revived,
    Superseded,
    Unpinned,
    Unretired,
    ValidityChanged,
)
from paramecium.messages import Json

MOMENTS_MAX: Final = 5000
FOLLOWED_MAX: Final = 3
CHAIN_MAX: Final = 1000

Standing = Literal["live", "pinned", "superseded", "retired"]
_Change = Superseded | Revived | Pinned | Unpinned | Retired | Unretired | Corrected | ValidityChanged
Edge = tuple[str, str]
"""Two ids of memories, in their order."""


class Memory(NamedTuple):
    """Is a note and what became of it; `recalled` counts the calls that opened it, for people, not for ranking."""

    note: Note
    added_at: str = ""
    superseded_by: str = ""
    pinned: bool = False
    retired: bool = False
    fact: str = ""
    valid_from: str = ""
    valid_until: str = ""
    recalled: int = 0


class Moment(NamedTuple):
    """Is one call that opened memories: which, in which conversation, beside which message, and its context."""

    memories: tuple[str, ...]
    conversation: str
    message: str
    at: str
    context: Json | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Is the sum of the events below number `upto`.

    `edges` counts how often one memory was opened in the call after one that opened the other, in one conversation;
    `last` holds what each conversation opened last; `moments` are the last 5,000, oldest first.
    """

    upto: int = 0
    memories: Mapping[str, Memory] = field(default_factory=dict)
    moments: tuple[Moment, ...] = ()
    edges: Mapping[Edge, int] = field(default_factory=dict)
    last: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def standing(self, memory: Memory) -> Standing:
        """Returns how a memory stands; one whose successor was retired or forgotten holds again.

        A pinned one holds whatever superseded it before; unpinned, it stands superseded again.
        """
        if memory.retired:
            return "retired"
        if memory.pinned:
            return "pinned"
        return "superseded" if _holds(self.memories, memory.superseded_by) else "live"

    def holding(self, memory: Memory) -> Memory | None:
        """Returns the memory, or the one at the end of the chain that superseded it; None when that is retired."""
        for _ in range(CHAIN_MAX):
            match self.standing(memory):
                case "superseded":
                    memory = self.memories[memory.superseded_by]
                case "retired":
                    return None
                case _:
                    return memory
        return None

    def earlier(self, memory: str) -> tuple[Memory, ...]:
        """Returns the memories that this one superseded, and stand superseded, in the order they were added."""
        found = (m for m in self.memories.values() if m.superseded_by == memory)
        return tuple(m for m in found if self.standing(m) == "superseded")


def _holds(memories: Mapping[str, Memory], successor: str) -> bool:
    by = memories.get(successor)
    return by is not None and not by.retired


def fold(state: State, events: Iterable[Event]) -> State:
    """Returns the state after the events, which follow one another from number `state.upto` on."""
    folding = _Folding(state)
    for event in events:
        folding.take(event)
    return folding.state()


class _Folding:
    """Holds copies of a state's parts while events change them."""

    def __init__(self, state: State) -> None:
        self._upto = state.upto
        self._memories, self._edges, self._last = dict(state.memories), dict(state.edges.items()), dict(state.last)
        self._moments = deque(state.moments, MOMENTS_MAX)
        self._forgotten, self._seen = set(state.forgotten), set(state.seen)

    def state(self) -> State:
        freeze, gone = MappingProxyType, self._forgotten
        edges = {pair: count for pair, count in self._edges.items() if gone.isdisjoint(pair)} if gone else self._edges
        last = {c: kept for c, ids in self._last.items() if (kept := self._remembered(ids))} if gone else self._last
        return State(
            self._upto,
            freeze(self._memories),
            tuple(self._moments),
            freeze(edges),
            freeze(last),
            frozenset(gone),
            frozenset(self._seen),
        )

    def take(self, event: Event) -> None:
        self._upto += 1
        if event.id in self._seen:
            return
        self._seen.add(event.id)
        match event.what:
            case Added(note):
                if note.id not in self._memories and note.id not in self._forgotten:
                    self._memories[note.id] = Memory(note, event.at)
            case Recalled():
                self._recall(event.what, event.at)
            case Forgotten(memory):
                self._forget(memory)
            case Later():
                pass
            case what:
                if what.memory in self._memories:
                    stood = self._memories[what.memory]
                    self._memories[what.memory] = stood._replace(**self._change(stood, what))

    def _change(self, memory: Memory, what: _Change) -> Json:
        change: Json
        match what:
            case Superseded(_, by):
                change = {"superseded_by": by} if self._may_supersede(memory, by) else {}
            case Revived():
                change = {"superseded_by": ""}
            case Pinned() | Unpinned():
                change = {"pinned": isinstance(what, Pinned)}
            case Retired():
                change = {"retired": True}
            case Unretired():
                change = {"retired": False, "fact": ""}
            case Corrected(_, fact):
                change = {"retired": True, "fact": fact}
            case ValidityChanged(_, valid_from, valid_until):
                change = {"valid_from": valid_from, "valid_until": valid_until}
        return change

    def _may_supersede(self, memory: Memory, by: str) -> bool:
        """A pinned memory is never superseded, the first successor that holds stays the successor, and no chain of
        successors comes back to its beginning."""
        if memory.pinned or by not in self._memories or _holds(self._memories, memory.superseded_by):
            return False
        at = by
        for _ in range(CHAIN_MAX):
            if at == memory.note.id:
                return False
            successor = self._memories.get(at)
            if successor is None or not successor.superseded_by:
                return True
            at = successor.superseded_by
        return False

    def _recall(self, what: Recalled, at: str) -> None:
        opened = tuple(m for m in what.memories if m in self._memories)
        for ident in dict.fromkeys(opened):
            self._memories[ident] = self._memories[ident]._replace(recalled=self._memories[ident].recalled + 1)
        if not opened:
            return
        self._moments.append(Moment(opened, what.conversation, what.message, at, what.context))
        if not what.conversation:
            return
        before = self._remembered(self._last.get(what.conversation, ()))
        # What was opened again joins nothing: one question asked in other words would draw an edge from its content.
        new = tuple(m for m in opened if m not in before)
        pairs = {_edge(a, b) for a, b in product(before[:FOLLOWED_MAX], new[:FOLLOWED_MAX])}
        for pair in pairs:
            self._edges[pair] = self._edges.get(pair, 0) + 1
        self._last[what.conversation] = opened

    def _forget(self, memory: str) -> None:
        """Edges and what was opened last are cleared of it at the end, at once for all that was forgotten."""
        self._memories.pop(memory, None)
        self._forgotten.add(memory)
        if any(memory in moment.memories for moment in self._moments):
            moments = (_without(moment, memory) for moment in self._moments)
            self._moments = deque((moment for moment in moments if moment.memories), MOMENTS_MAX)

    def _remembered(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(ident for ident in ids if ident not in self._forgotten)


def _without(moment: Moment, memory: str) -> Moment:
    if memory not in moment.memories:
        return moment
    return moment._replace(memories=tuple(i for i in moment.memories if i != memory))


def _edge(a: str, b: str) -> Edge:
    return (a, b) if a < b else (b, a)
