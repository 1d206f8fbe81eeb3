"""The history of a memory: its chain both ways, who did what and why, and how often it was recalled."""

from paramecium.memories.events import (
    Added,
    Event,
    Forgotten,
    Later,
    Pinned,
    Recalled,
    Retired,
    Revived,
    Superseded,
    What,
)
from paramecium.memories.history import History, history_of, named_by
from paramecium.memories.state import State, fold
from tests.memories.event_lists import events_of, note

FIVE: list[What] = [Added(note(f"m-{i}")) for i in range(5)]


def history(ident: str, *whats: What) -> History:
    """Returns the history of one of five memories after more has happened."""
    events = events_of(*FIVE, *whats)
    state = fold(State(), events)
    return history_of(state, events, state.memories[ident])


def test_the_chain_is_told_both_ways() -> None:
    """Successors and what is superseded, nearest first, as far as they stand."""
    chain: list[What] = [
        Superseded("m-0", "m-2"),
        Superseded("m-1", "m-2"),
        Superseded("m-2", "m-3"),
        Superseded("m-3", "m-4"),
    ]
    told = history("m-2", *chain)
    assert (told.later, told.earlier, told.standing) == (("m-3", "m-4"), ("m-0", "m-1"), "superseded")
    assert history("m-4", *chain).earlier == ("m-3", "m-2", "m-0", "m-1")
    broken = history("m-2", *chain, Retired("m-3"))
    assert (broken.later, broken.earlier, broken.standing) == ((), ("m-0", "m-1"), "live")


def test_events_and_recalls_are_told_in_order() -> None:
    """Those that name the memory in any place, each once, recalls by themselves."""
    whats: list[What] = [
        Pinned("m-1"),
        Superseded("m-0", "m-1"),
        Recalled(("m-2", "m-1"), query="疫苗"),
        Recalled(("m-2",)),
    ]
    told = history("m-1", *whats, Recalled(("m-1",), query="豆包"), Revived("m-0", "m-1"))
    assert [type(e.what) for e in told.events] == [Added, Pinned, Superseded, Revived]
    assert [e.what.query for e in told.recalls if isinstance(e.what, Recalled)] == ["疫苗", "豆包"]


def test_an_event_that_stands_twice_is_told_once() -> None:
    """In the place where it stood first."""
    pinned = Event("x", "", "person", Pinned("m-0"))
    events = [*events_of(*FIVE), pinned, Event("y", "", "person", Retired("m-0")), pinned]
    state = fold(State(), events)
    told = history_of(state, events, state.memories["m-0"]).events
    assert [type(e.what) for e in told] == [Added, Pinned, Retired]


def test_every_event_names_its_memories() -> None:
    """A later kind names none."""
    named: list[What] = [
        Superseded("a", "b"),
        Revived("a"),
        Recalled(("a", "b")),
        Forgotten("a"),
        Later("x", {"what": {}}),
    ]
    assert [named_by(e) for e in events_of(*named)] == [("a", "b"), ("a",), ("a", "b"), ("a",), ()]
