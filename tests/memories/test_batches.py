"""Batches hold every new message once, in order, and no more than a small model should read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.batches import Batch, batches, excerpt
from tests.memories.spoken_life import spoken, talk

LENGTHS = st.lists(st.sampled_from([1, 10, 900, 2999, 3000, 3001, 50_000]), max_size=90)


def _shown(batch: Batch) -> int:
    return sum(len(head) + len(tail) for head, _, tail in (excerpt(said.text) for said in batch.messages))


@given(LENGTHS, st.integers(0, 95), st.booleans())
def test_every_new_message_is_read_once(lengths: list[int], from_n: int, silent: bool) -> None:
    """In order, 1 to 30 at once, with the 2 before them; only a rest of fewer than 4 waits for the silence."""
    said = talk(["好" * length for length in lengths])
    made = batches(said, from_n, silent=silent)
    read = [one for batch in made for one in batch.new]
    waiting = [one for one in said if one.n >= from_n][len(read) :]
    assert [one.n for one in (*read, *waiting)] == [one.n for one in said if one.n >= from_n]
    assert len(waiting) < (1 if silent else 4)
    for batch in made:
        at = said.index(batch.new[0])
        assert batch.overlap == said[max(at - 2, 0) : at]
        assert 1 <= len(batch.new) <= 30
        assert _shown(batch) <= 12_000


@pytest.mark.parametrize(("count", "silent", "sizes"), [
    (3, False, []), (3, True, [3]), (4, False, [4]), (30, False, [30]), (33, False, [30]), (33, True, [30, 3]),
    (34, False, [30, 4]), (0, True, []),
])  # fmt: skip
def test_a_few_wait_for_silence(count: int, silent: bool, sizes: list[int]) -> None:
    """Four are enough; fewer are read once nothing more is being said."""
    made = batches(talk(["好的"] * count), 0, silent=silent)
    assert [len(batch.new) for batch in made] == sizes


def test_long_messages_fill_a_batch() -> None:
    """Four of 3,000 shown characters are 12,000; with two before them only two more fit."""
    made = batches(talk(["长" * 9000] * 8), 0, silent=True)
    assert [len(batch.new) for batch in made] == [4, 2, 2]
    assert [len(batch.overlap) for batch in made] == [0, 2, 2]


def test_reading_goes_on_behind_a_batch() -> None:
    """The number behind a batch begins the next one, also where entries that nobody said stand between."""
    said = tuple(spoken(n, "好的") for n in (0, 3, 4, 7, 9, 12, 13, 20))
    (first,) = batches(said[:5], 3, silent=False)
    assert (first.conversation, first.from_n, first.upto) == ("c1", 3, 10)
    assert first.messages == said[:5]
    (rest,) = batches(said, first.upto, silent=True)
    assert (rest.overlap, rest.new) == (said[3:5], said[5:])


def test_a_long_message_is_shown_at_both_ends() -> None:
    """The first 2,000 and the last 1,000 characters, and how many are between them; 3,000 are shown whole."""
    text = "头" * 2000 + "中" * 1234 + "尾" * 1000
    assert excerpt(text) == ("头" * 2000, 1234, "尾" * 1000)
    assert excerpt(text[:3000]) == (text[:3000], 0, "")
