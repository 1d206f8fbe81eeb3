"""Counting many pairs of characters at once gives what counting each alone gives."""

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from paramecium.index.words import QUERY_TERMS_MAX, Scan

_CHARS = "茶猫海雨ab1 \n\ud800𠀀\0\u2028"
_TEXT = st.text(_CHARS, max_size=30)


@given(st.lists(_TEXT, max_size=6), st.lists(st.text(_CHARS, min_size=1, max_size=3), max_size=9))
@example(["茶茶茶茶", "茶", "", "茶茶" * 300], ["茶茶"])
@example(["𠀀茶", "茶\n茶"], ["𠀀茶", "茶茶"])
def test_gathered_counts_are_those_of_each_term(texts: Sequence[str], asked: Sequence[str]) -> None:
    """Every term, pair or not, has the same documents and counts after `gather` as without it."""
    lines = [text.replace("\n", " ") for text in texts]
    gathered, alone = Scan(lines), Scan(lines)
    wanted = [term for term in asked if "\n" not in term]
    gathered.gather(wanted)
    for term in wanted:
        (rows, counts), (rows_alone, counts_alone) = gathered.counts(term), alone.counts(term)
        assert (rows.tolist(), counts.tolist()) == (rows_alone.tolist(), counts_alone.tolist())
        assert (rows.dtype, counts.dtype) == (rows_alone.dtype, counts_alone.dtype)


def test_more_terms_than_are_kept_are_counted_all_the_same() -> None:
    """What no longer fits is forgotten and counted again."""
    text = "".join(chr(0x4E00 + i) for i in range(400))
    scan = Scan([text])
    for at in range(0, 300, 60):
        asked = [text[i : i + 2] for i in range(at, at + QUERY_TERMS_MAX)]
        scan.gather(asked)
        assert all(scan.counts(term)[1].tolist() == [1] for term in asked)
