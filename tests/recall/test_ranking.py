"""How resemblance and words become one order."""

from hypothesis import given
from hypothesis import strategies as st

from paramecium.recall.ranking import Hit, Near, fuse

A, B, C = ("a", 1), ("a", 2), ("b", 1)


def places(hits: list[Hit]) -> list[tuple[str, int]]:
    """Returns the places in order."""
    return [h.place for h in hits]


def test_found_by_both_comes_first() -> None:
    """What is as near and has words of the query is before what only has one of the two."""
    assert places(fuse({A: Near(0.5, 0, 1), B: Near(0.5, 0, 1)}, {B: 2.0, C: 2.0}, -1.0)) == [B, A, C]


def test_the_passage_is_that_of_resemblance() -> None:
    """A hit has the passage that resembles, and none when only words found it."""
    assert fuse({A: Near(0.5, 3, 9)}, {C: 1.0}, -1.0) == [Hit(A, 1.0, (3, 9)), Hit(C, 0.5, None)]


def test_resemblance_has_a_floor() -> None:
    """Below the floor only what has words of the query is found, and what is far off counts for nothing."""
    near = {A: Near(0.8, 0, 1), B: Near(0.3, 0, 1), C: Near(-0.4, 0, 1)}
    assert places(fuse(near, {C: 1.0}, 0.5)) == [A, C]
    assert places(fuse(near, {C: 0.0}, 0.3)) == [A, B]


def test_nothing_gives_nothing() -> None:
    """Without candidates there is no hit; where all are far off, none has a score."""
    assert fuse({}, {}, -1.0) == []
    assert fuse({A: Near(-0.5, 0, 1)}, {}, -1.0) == [Hit(A, 0.0, (0, 1))]


SCORES = st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), st.sampled_from([0.0, 0.2, 0.5, 1.0]))


@given(SCORES, SCORES, st.sampled_from([-1.0, 0.3]))
def test_the_order_does_not_hang_on_the_order_of_arrival(
    cosines: dict[tuple[str, int], float], words: dict[tuple[str, int], float], floor: float
) -> None:
    """The same candidates give the same hits, best first, among equals the later place first."""
    near = {place: Near(cosine, 0, 1) for place, cosine in cosines.items()}
    hits = fuse(near, words, floor)
    assert hits == fuse(dict(reversed(near.items())), dict(reversed(words.items())), floor)
    assert [(h.score, h.place) for h in hits] == sorted(((h.score, h.place) for h in hits), reverse=True)
