"""Windows are slices of what was said, in order, without gaps, and no longer than they may be."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.passages import passages
from paramecium.index.said import Said
from paramecium.recall.talk import Talk
from paramecium.recall.windows import WINDOW_CHARS_MAX, Piece, Window, around
from tests.index.fakes_life import said
from tests.recall.lives import ANY_WORDS


def reading(saids: dict[int, Said], met: list[int]) -> "Reader":
    """Returns what reads messages and remembers which."""
    return Reader(saids, met)


class Reader:
    def __init__(self, saids: dict[int, Said], met: list[int]) -> None:
        self.saids, self.met = saids, met

    def __call__(self, n: int) -> Said:
        self.met.append(n)
        return self.saids[n]


@st.composite
def talks(draw: st.DrawFn) -> dict[int, Said]:
    """Draws a conversation whose messages hang on any earlier one, or on one that is not there."""
    out: dict[int, Said] = {}
    for n in draw(st.lists(st.integers(0, 40), unique=True, min_size=1, max_size=12).map(sorted)):
        parents = st.sampled_from([None, "lost", *(s.id for s in out.values())])
        before = list(out.values())[-1].id if out else None
        parent = before if draw(st.booleans()) else draw(parents)
        out[n] = said("a", n, draw(ANY_WORDS), parent=parent)
    return out


def hits_of(one: Said) -> list[tuple[int, int]]:
    """Returns what can be a hit in a message: each passage, its first character, or nothing of an empty one."""
    return [*passages(one.text), (0, min(1, len(one.text)))]


@given(talks(), st.data())
def test_a_window_is_a_run_of_the_chain(saids: dict[int, Said], data: st.DataObject) -> None:
    """The pieces are what the chain of the hit says from the first to the last character shown, and hold the hit."""
    talk = Talk("a", [(s.n, s.id, s.parent) for s in saids.values()], [])
    n = data.draw(st.sampled_from(sorted(saids)))
    start, end = data.draw(st.sampled_from(hits_of(saids[n])))
    chain = talk.chain_of(n)
    pieces = around(chain, chain.index(n), start, end, saids.__getitem__)
    shown = "".join(p.text for p in pieces)
    first = sum(len(saids[m].text) for m in chain[: chain.index(pieces[0].said.n)]) + pieces[0].start if pieces else 0
    assert "".join(saids[m].text for m in chain)[first:].startswith(shown)
    assert start == end or any(p.said.n == n and p.start <= start and end <= p.end for p in pieces)
    assert all(chain.index(a.said.n) < chain.index(b.said.n) for a, b in pairwise(pieces))
    hit = sum(b - a for a, b in passages(saids[n].text) if a < end and start < b)
    assert len(shown) <= max(WINDOW_CHARS_MAX, hit)


@given(talks(), st.data())
def test_a_window_is_as_long_as_it_may_be(saids: dict[int, Said], data: st.DataObject) -> None:
    """On neither side another passage would fit."""
    chain = sorted(saids)
    at = data.draw(st.integers(0, len(chain) - 1))
    start, end = hits_of(saids[chain[at]])[0]
    pieces = around(chain, at, start, end, saids.__getitem__)
    spans = [(n, a, b) for n in chain for a, b in passages(saids[n].text)]
    size = sum(p.end - p.start for p in pieces)
    if pieces:
        before = [s for s in spans if (s[0], s[2]) <= (pieces[0].said.n, pieces[0].start)]
        after = [s for s in spans if (s[0], s[1]) >= (pieces[-1].said.n, pieces[-1].end)]
        assert all(size + b - a > WINDOW_CHARS_MAX for _, a, b in [*before[-1:], *after[:1]])


def test_a_long_conversation_is_read_around_the_hit_only() -> None:
    """Of ten thousand messages those are read that stand in the window, and one more at each side."""
    saids = {n: said("a", n, "说" * 100) for n in range(10_000)}
    met: list[int] = []
    pieces = around(range(10_000), 5_000, 0, 100, reading(saids, met))
    assert [p.said.n for p in pieces] == list(range(4_997, 5_004))
    assert sorted(met) == list(range(4_996, 5_005))


@pytest.mark.parametrize(("before", "shown"), [(349, [0, 1, 2]), (350, [1, 2])])
def test_a_window_is_filled_to_the_last_character(before: int, shown: list[int]) -> None:
    """Passages of 700 characters together fit, of 701 they do not."""
    saids = {n: said("a", n, "说" * size) for n, size in enumerate((before, 350, 1))}
    assert [p.said.n for p in around(range(3), 1, 0, 350, saids.__getitem__)] == shown


def test_a_hit_that_runs_over_passages_is_shown_whole() -> None:
    """A hit longer than a window is shown from its first passage to its last."""
    text = "这一句有十个字整整。" * 120
    (piece,) = around([0], 0, 5, 1_100, lambda _: said("a", 0, text))
    assert (piece.start, piece.end) == (0, 1_200)


def test_the_words_of_a_window_are_those_of_its_pieces() -> None:
    """A window's text is its pieces one after the other."""
    one, two = said("a", 0, "早上好。"), said("a", 1, "早。")
    window = Window("a", "", "", 1.0, (Piece(one, 1, 4), Piece(two, 0, 2)))
    assert window.text == "上好。早。"
