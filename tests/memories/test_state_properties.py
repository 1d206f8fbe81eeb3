"""State: what holds of whatever happens, over random events of all kinds."""

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories import state as state_module
from paramecium.memories.events import Event, Forgotten, Recalled
from paramecium.memories.state import State, fold
from tests.memories.event_lists import event_lists


@pytest.fixture(autouse=True)
def _few_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that short lists reach."""
    monkeypatch.setattr(state_module, "MOMENTS_MAX", 3)


def _states(events: list[Event]) -> list[State]:
    return [fold(State(), events[:n]) for n in range(len(events) + 1)]


@given(event_lists, st.integers(0, 40), st.integers(0, 40))
def test_folding_is_the_same_from_any_starting_point(events: list[Event], one: int, other: int) -> None:
    """Three parts folded one after the other are the whole."""
    first, second = sorted((one, other))
    whole = fold(State(), events)
    assert fold(fold(fold(State(), events[:first]), events[first:second]), events[second:]) == whole
    assert whole.upto == len(events)


@given(event_lists)
def test_folding_leaves_what_it_began_with_as_it_is(events: list[Event]) -> None:
    """A state is a value: going on from it changes nothing of it."""
    half = fold(State(), events[: len(events) // 2])
    kept = repr(half)
    fold(half, events[len(events) // 2 :])
    assert repr(half) == kept


@given(event_lists)
def test_an_event_twice_counts_once(events: list[Event]) -> None:
    """Repeating all that happened changes nothing but the number."""
    once, twice = fold(State(), events), fold(State(), [*events, *events])
    assert (twice.memories, twice.moments, twice.edges, twice.last) == (
        once.memories,
        once.moments,
        once.edges,
        once.last,
    )


@given(event_lists)
def test_a_pinned_memory_never_stands_superseded(events: list[Event]) -> None:
    """At no point, and no event gives a pinned one another successor."""
    states = _states(events)
    for before, after in pairwise(states):
        for ident, memory in after.memories.items():
            if memory.pinned:
                assert after.standing(memory) in ("pinned", "retired")
            earlier = before.memories.get(ident)
            if earlier is not None and earlier.pinned and memory.superseded_by:
                assert memory.superseded_by == earlier.superseded_by


@given(event_lists)
def test_successors_make_no_circle(events: list[Event]) -> None:
    """From every memory the way along its successors ends."""
    for state in _states(events):
        for ident in state.memories:
            at, steps = ident, 0
            while at in state.memories and state.memories[at].superseded_by:
                at, steps = state.memories[at].superseded_by, steps + 1
                assert steps <= len(state.memories)


@given(event_lists)
def test_a_memory_stands_superseded_only_while_its_successor_holds(events: list[Event]) -> None:
    """A successor that is retired or gone makes the earlier one hold again."""
    state = fold(State(), events)
    for memory in state.memories.values():
        if state.standing(memory) == "superseded":
            assert not state.memories[memory.superseded_by].retired


@given(event_lists)
def test_what_is_forgotten_stays_forgotten(events: list[Event]) -> None:
    """After it no part of any later state names the memory, but the list of the forgotten."""
    before: frozenset[str] = frozenset()
    for event, state in zip(events, _states(events)[1:], strict=True):
        named_now = {event.what.memory} if isinstance(event.what, Forgotten) else set()
        assert before <= state.forgotten <= before | named_now
        before = state.forgotten
        assert not state.forgotten & set(state.memories)
        named = {i for pair in state.edges for i in pair} | {i for ids in state.last.values() for i in ids}
        assert not state.forgotten & (named | {i for m in state.moments for i in m.memories})


@given(event_lists)
def test_edges_come_from_calls_in_a_row_alone(events: list[Event]) -> None:
    """Each edge joins two memories that two calls in a row of one conversation opened, as often as it counts."""
    calls: dict[str, list[tuple[str, ...]]] = {}
    for event in {e.id: e for e in reversed(events)}.values():
        if isinstance(event.what, Recalled) and event.what.conversation:
            calls.setdefault(event.what.conversation, []).insert(0, event.what.memories)
    joined: Counter[frozenset[str]] = Counter()
    for made in calls.values():
        # A call that opened nothing that is known then is none: any later call may follow any earlier one.
        for i, opened in enumerate(made):
            joined.update({frozenset(p) for earlier in made[:i] for p in product(earlier, opened)})
    for pair, times in fold(State(), events).edges.items():
        assert pair[0] < pair[1]
        assert 0 < times <= joined[frozenset(pair)]
