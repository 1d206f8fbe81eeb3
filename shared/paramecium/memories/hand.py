"""What a person may do to a memory by hand: each deed is one event, with who and why, and can be taken back.

Knows which deeds are refused and how a memory is named; what a deed does is decided by `state.fold` alone.
Invariant: what is already so writes no event, and nothing here removes one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from paramecium import clock
from paramecium.errors import Ambiguous, BadId, BadInput, Conflict, MemoryMissing
from paramecium.memories.corrections import Corrections
from paramecium.memories.events import (
    Corrected,
    Event,
    Pinned,
    Retired,
    Revived,
    Superseded,
    Unpinned,
    Unretired,
    ValidityChanged,
    What,
)
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import Memory, Standing, State, fold

BY: Final = "person"
PREFIX_CHARS_MIN: Final = 4
SHOWN_MAX: Final = 10
_HEAD: Final = "m-"
_LISTED: Final = "`paramecium memories list` shows them"


class Deed(NamedTuple):
    """Is what came of a deed: the memory, how it stands now, and whether an event was written."""

    memory: Memory
    state: Standing
    changed: bool


@dataclass(frozen=True, slots=True)
class Hand:
    """Changes the memories of one life in a person's name; `now` gives the moment, told in `timezone`."""

    ledger: Ledger
    corrections: Corrections
    timezone: str
    now: clock.Now = clock.now

    def pin(self, name: str, why: str = "") -> Deed:
        """Lets no machine supersede the memory."""
        return self._do(name, why, lambda _, m: Pinned(m.note.id))

    def unpin(self, name: str, why: str = "") -> Deed:
        """Takes a pin back."""
        return self._do(name, why, lambda _, m: Unpinned(m.note.id))

    def retire(self, name: str, why: str = "") -> Deed:
        """Takes the memory out of all that is offered and found."""
        return self._do(name, why, lambda _, m: Retired(m.note.id))

    def unretire(self, name: str, why: str = "") -> Deed:
        """Takes a retirement or a correction back; the fact written with a correction stays where it is."""
        return self._do(name, why, lambda _, m: Unretired(m.note.id))

    def revive(self, name: str, why: str = "") -> Deed:
        """Lets a superseded memory hold again."""
        return self._do(name, why, lambda _, m: Revived(m.note.id))

    def supersede(self, name: str, by: str, why: str = "") -> Deed:
        """Lets another memory, `by`, stand for this one; raises BadInput, and Conflict where it cannot."""
        return self._do(name, why, lambda state, m: _superseded(state, m, find(state.memories, by)))

    def validity(self, name: str, valid_from: str | None, valid_until: str | None, why: str = "") -> Deed:
        """Says from and until which day (YYYY-MM-DD, both included) the memory holds; "" opens, None leaves an end.

        Raises BadInput for what is no day, and for a first day behind the last.
        """
        return self._do(name, why, lambda _, m: _validity(m, valid_from, valid_until))

    def correct(self, name: str, text: str, why: str = "") -> Deed:
        """Retires a wrong memory and writes what is right as a fact, `text` to the last character.

        The fact is written first; a second run after a kill finds it and goes on. Raises BadInput for a text that is
        blank or holds half a character, and Conflict for a memory that another fact already corrects.
        """
        self.corrections.check(text)

        def corrected(_: State, memory: Memory) -> What:
            if memory.retired and memory.fact:
                if self.corrections.says(memory.fact, text):
                    return Corrected(memory.note.id, memory.fact)
                raise Conflict(f"{memory.note.id} is corrected already by {memory.fact}: edit that file")
            return Corrected(memory.note.id, self.corrections.write(memory.note.id, text, self._moment()))

        return self._do(name, why, corrected)

    def _do(self, name: str, why: str, make: Callable[[State, Memory], What]) -> Deed:
        state = fold(State(), self.ledger.readable())
        memory = find(state.memories, name)
        event = Event(clock.new_id(self.now()), self._moment(), BY, make(state, memory), why)
        if fold(state, [event]).memories[memory.note.id] == memory:
            return Deed(memory, state.standing(memory), changed=False)
        self.ledger.append([event])
        # Others may have written in between, and the fold alone says what came of it.
        state = fold(state, self.ledger.readable(state.upto))
        memory = find(state.memories, memory.note.id)
        return Deed(memory, state.standing(memory), changed=True)

    def _moment(self) -> str:
        return clock.local_iso(self.now(), self.timezone)


def find(memories: Mapping[str, Memory], name: str) -> Memory:
    """Returns the memory with this id, or with the only id that begins so, of at least 4 characters behind "m-".

    Raises BadId for a shorter beginning, Ambiguous showing the ids it fits, and MemoryMissing.
    """
    if name in memories:
        return memories[name]
    if not name.startswith(_HEAD) or len(name) < len(_HEAD) + PREFIX_CHARS_MIN:
        raise BadId(
            f"not a memory's id: {name!r:.80}; it begins with m- and at least {PREFIX_CHARS_MIN} characters; {_LISTED}"
        )
    hits = sorted(ident for ident in memories if ident.startswith(name))
    if not hits:
        raise MemoryMissing(f"no memory {name:.80}; {_LISTED}")
    if len(hits) > 1:
        more = f" and {len(hits) - SHOWN_MAX} more" if len(hits) > SHOWN_MAX else ""
        raise Ambiguous(f"{name} may be {', '.join(hits[:SHOWN_MAX])}{more}")
    return memories[hits[0]]


def _superseded(state: State, memory: Memory, by: Memory) -> What:
    """Returns the event, or raises for what the fold would pass over, saying what to do first."""
    ident, successor = memory.note.id, by.note.id
    if ident == successor:
        raise BadInput(f"{ident} cannot supersede itself")
    if memory.pinned:
        raise Conflict(f"{ident} is pinned: unpin it first")
    if by.retired:
        raise Conflict(f"{successor} is retired and can stand for no other: unretire it first")
    what = Superseded(ident, successor, "hand")
    if memory.superseded_by == successor:
        return what
    if state.standing(memory) == "superseded":
        raise Conflict(f"{ident} is superseded already, by {memory.superseded_by}: revive it first")
    tried = fold(state, [Event(clock.new_id(), "", BY, what)])
    if tried.memories[ident].superseded_by != successor:
        raise Conflict(f"{ident} cannot be superseded by {successor}, which it supersedes itself: revive that first")
    return what


def _validity(memory: Memory, valid_from: str | None, valid_until: str | None) -> What:
    if valid_from is None and valid_until is None:
        raise BadInput("neither a first nor a last day is given")
    first = memory.valid_from if valid_from is None else _day("from", valid_from)
    last = memory.valid_until if valid_until is None else _day("until", valid_until)
    if first and last and first > last:
        raise BadInput(f"from {first} is behind until {last}")
    return ValidityChanged(memory.note.id, first, last)


def _day(name: str, text: str) -> str:
    try:
        if not text or date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise BadInput(f"{name} is not a day of the form YYYY-MM-DD: {text!r:.40}")
