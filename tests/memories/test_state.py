"""State: what events add up to, one rule a test; the properties stand in test_state_properties."""

import pytest

from paramecium.memories import state as state_module
from paramecium.memories.events import (
    Added,
    Corrected,
    Event,
    Forgotten,
    Later,
    Pinned,
    Recalled,
    Retired,
    Revived,
    Superseded,
    Unpinned,
    Unretired,
    ValidityChanged,
    What,
)
from paramecium.memories.state import Moment, State, fold
from tests.memories.event_lists import events_of, note

THREE = (Added(note("m-0")), Added(note("m-1")), Added(note("m-2")))


def after(*whats: What) -> State:
    """Returns the state of three memories after more has happened."""
    return fold(State(), events_of(*THREE, *whats))


def standing(state: State, ident: str = "m-0") -> str:
    """Returns how a memory stands."""
    return state.standing(state.memories[ident])


def test_a_note_is_added_once_and_in_order() -> None:
    """The first note of an id stays; memories keep the order they were added in."""
    state = after(Added(note("m-0", content="别的")))
    assert list(state.memories) == ["m-0", "m-1", "m-2"]
    assert state.memories["m-0"].note.content == "m-0的内容"
    assert (state.memories["m-0"].added_at, state.upto) == ("2026-06-01T10:00:00+08:00", 4)


@pytest.mark.parametrize(
    ("whats", "expected"),
    [
        ((), "live"),
        ((Superseded("m-0", "m-1"),), "superseded"),
        ((Superseded("m-0", "m-1"), Revived("m-0")), "live"),
        ((Superseded("m-0", "m-1"), Retired("m-1")), "live"),
        ((Superseded("m-0", "m-1"), Retired("m-1"), Unretired("m-1")), "superseded"),
        ((Superseded("m-0", "m-1"), Corrected("m-1", "facts/x.md")), "live"),
        ((Superseded("m-0", "m-1"), Forgotten("m-1")), "live"),
        ((Superseded("m-0", "m-1"), Superseded("m-1", "m-2")), "superseded"),
        ((Superseded("m-0", "nobody"),), "live"),
        ((Superseded("m-0", "m-0"),), "live"),
        ((Pinned("m-0"),), "pinned"),
        ((Pinned("m-0"), Superseded("m-0", "m-1")), "pinned"),
        ((Pinned("m-0"), Superseded("m-0", "m-1"), Unpinned("m-0")), "live"),
        ((Superseded("m-0", "m-1"), Pinned("m-0")), "pinned"),
        ((Superseded("m-0", "m-1"), Pinned("m-0"), Unpinned("m-0")), "superseded"),
        ((Retired("m-0"),), "retired"),
        ((Pinned("m-0"), Retired("m-0")), "retired"),
        ((Retired("m-0"), Unretired("m-0")), "live"),
        ((Corrected("m-0", "facts/x.md"),), "retired"),
        ((Corrected("m-0", "facts/x.md"), Unretired("m-0")), "live"),
        ((Later("Vanished", {"what": {"memory": "m-0"}}),), "live"),
    ],
)
def test_how_a_memory_stands(whats: tuple[What, ...], expected: str) -> None:
    """After these events the first memory stands so."""
    assert standing(after(*whats)) == expected


def test_the_first_successor_that_holds_stays() -> None:
    """Of two that supersede one memory the first counts, and once it is retired or gone, the next may."""
    first, second = Superseded("m-0", "m-1"), Superseded("m-0", "m-2")
    assert after(first, second).memories["m-0"].superseded_by == "m-1"
    for gone in (Retired("m-1"), Forgotten("m-1"), Corrected("m-1", "")):
        state = after(first, gone, second)
        assert state.memories["m-0"].superseded_by == "m-2"
        assert standing(state) == "superseded"


def test_a_chain_of_successors_does_not_close() -> None:
    """What a memory supersedes cannot supersede it, however far away, retired or not."""
    chain = (Superseded("m-0", "m-1"), Superseded("m-1", "m-2"))
    for more in ((), (Retired("m-1"),), (Retired("m-2"),)):
        assert after(*chain, *more, Superseded("m-2", "m-0")).memories["m-2"].superseded_by == ""
    turned = after(*chain, Revived("m-0"), Revived("m-1"), Superseded("m-2", "m-0"))
    assert standing(turned, "m-2") == "superseded"


def test_who_was_superseded_is_known() -> None:
    """`earlier` gives those that stand superseded by a memory, not those that hold again."""
    state = after(Superseded("m-0", "m-2"), Superseded("m-1", "m-2"))
    assert [m.note.id for m in state.earlier("m-2")] == ["m-0", "m-1"]
    assert fold(state, [Event("x", "", "", Pinned("m-0"))]).earlier("m-2") == (state.memories["m-1"],)
    assert after(Superseded("m-0", "m-2"), Retired("m-2")).earlier("m-2") == ()


def test_the_end_of_the_chain_holds() -> None:
    """A superseded memory leads to the one that holds now; one that is retired leads nowhere."""
    chain = (Superseded("m-0", "m-1"), Superseded("m-1", "m-2"))

    def held(*more: What) -> str | None:
        state = after(*chain, *more)
        found = state.holding(state.memories["m-0"])
        return found.note.id if found else None

    assert held() == "m-2"
    assert held(Retired("m-2")) == "m-1"
    assert held(Pinned("m-0")) == "m-0"
    assert held(Retired("m-0")) is None


def test_a_correction_is_kept_by_a_retirement_and_taken_back_whole() -> None:
    """The fact is named until the memory is no longer retired."""
    assert after(Corrected("m-0", "facts/x.md"), Retired("m-0")).memories["m-0"].fact == "facts/x.md"
    assert after(Corrected("m-0", "facts/x.md"), Unretired("m-0")).memories["m-0"].fact == ""


def test_validity_is_what_was_said_last() -> None:
    """Both ends are replaced together."""
    state = after(ValidityChanged("m-0", "2026-06-01", "2026-07-01"), ValidityChanged("m-0", "", "2026-08-01"))
    assert state.memories["m-0"][6:8] == ("", "2026-08-01")


def test_what_happens_to_an_unknown_memory_is_passed_over() -> None:
    """No event makes a memory but the one that adds it."""
    assert after(Pinned("nobody"), Retired("nobody"), Recalled(("nobody",), conversation="a")).memories == THREE_ALONE


def test_an_event_under_two_numbers_counts_once() -> None:
    """The second time it only moves the number on."""
    recalled = Event("x", "", "model", Recalled(("m-0",), conversation="a"))
    state = fold(after(), [recalled, recalled])
    assert (state.memories["m-0"].recalled, len(state.moments), state.upto) == (1, 1, 5)


def test_forgotten_stays_forgotten() -> None:
    """No word of it is left in any part of the state, and adding it again does not bring it back."""
    whats = (Recalled(("m-0", "m-1"), conversation="a"), Recalled(("m-2", "m-0"), conversation="a"))
    before = after(*whats)
    assert "m-0的原话" in repr(before)
    assert any("m-0" in pair for pair in before.edges)
    state = after(*whats, Recalled(("m-0",), conversation="b"), Forgotten("m-0"), Added(note("m-0")), Pinned("m-0"))
    assert "m-0" not in state.memories
    assert "m-0的" not in repr(state)
    assert not any("m-0" in pair for pair in state.edges)
    assert [m.memories for m in state.moments] == [("m-1",), ("m-2",)]
    assert state.last == {"a": ("m-2",)}
    assert state.forgotten == {"m-0"}


def test_edges_join_what_two_calls_in_a_row_opened() -> None:
    """Each of the first three of one call with each of three that the next one opened anew, in one conversation."""
    state = after(Recalled(("m-0", "m-1"), conversation="a"), Recalled(("m-2", "m-2", "m-0"), conversation="a"))
    assert state.edges == {("m-0", "m-2"): 1, ("m-1", "m-2"): 1}
    again = fold(state, [Event("x", "", "", Recalled(("m-1",), conversation="a"))])
    assert again.edges == {("m-0", "m-2"): 1, ("m-1", "m-2"): 2, ("m-0", "m-1"): 1}


def test_a_question_asked_in_other_words_draws_no_edge() -> None:
    """What two calls in a row opened alike resembles one question; only what comes anew follows from a thought."""
    same = [Recalled(("m-0", "m-1"), conversation="a") for _ in range(3)]
    assert after(*same).edges == {}
    assert after(*same, Recalled(("m-2", "m-0"), conversation="a")).edges == {("m-0", "m-2"): 1, ("m-1", "m-2"): 1}


def test_edges_join_nothing_else() -> None:
    """Not what one call opened together, nor other conversations, nor calls without one, nor further than three."""
    assert after(Recalled(("m-0", "m-1"), conversation="a")).edges == {}
    assert after(Recalled(("m-0",), conversation="a"), Recalled(("m-1",), conversation="b")).edges == {}
    assert after(Recalled(("m-0",)), Recalled(("m-1",))).edges == {}
    whats = [Added(note(f"n-{i}")) for i in range(5)]
    far = after(
        *whats, Recalled(("m-0",), conversation="a"), Recalled(tuple(w.note.id for w in whats), conversation="a")
    )
    assert set(far.edges) == {("m-0", f"n-{i}") for i in range(3)}
    between = after(*(Recalled((i,), conversation="a") for i in ("m-0", "m-1", "m-2")))
    assert ("m-0", "m-2") not in between.edges


def test_a_moment_keeps_where_and_beside_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last ones are kept, in order, with their context; forgetting gives no place back to older ones."""
    monkeypatch.setattr(state_module, "MOMENTS_MAX", 2)
    context = {"model": "e5s1/1", "vector": "AQ=="}
    calls = [Recalled((f"m-{i}",), conversation="a", message=f"p-{i}", context=context) for i in range(3)]
    state = after(*calls)
    at = ("2026-06-05T10:00:00+08:00", "2026-06-06T10:00:00+08:00")
    kept = tuple(Moment((f"m-{i}",), "a", f"p-{i}", at[i - 1], context) for i in (1, 2))
    assert state.moments == kept
    assert after(*calls, Forgotten("m-2")).moments == kept[:1]


THREE_ALONE = after().memories
