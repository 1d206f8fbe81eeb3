"""Items in blocks come back byte for byte, and a block that is not what its sizes say is damage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from paramecium.errors import Damaged
from paramecium.index.blocks import BLOCK_BYTES, Blocks, BlockWriter

Sections = dict[str, NDArray[np.generic]]


def _packed(items: list[bytes]) -> Sections:
    writer = BlockWriter()
    for item in items:
        writer.add(item)
    return writer.sections()


@given(st.lists(st.builds(lambda body, times: body * times, st.binary(max_size=40), st.integers(0, 4000)), max_size=30))
def test_items_come_back(items: list[bytes]) -> None:
    """In order and one by one, the items are those put in."""
    blocks = Blocks("key", _packed(items), len(items))
    assert list(blocks.items()) == items
    assert [blocks.item(i) for i in reversed(range(len(items)))] == items[::-1]
    assert len(blocks) == len(items)


def test_a_block_holds_about_64_kb() -> None:
    """Small items share a block up to its size; an item larger than a block has one of its own."""
    small, large = b"x" * (BLOCK_BYTES // 4), b"y" * (BLOCK_BYTES + 1)
    assert _packed([small] * 9)["first"].tolist() == [0, 4, 8, 9]
    assert _packed([small, large, small, small])["first"].tolist() == [0, 1, 2, 4]
    assert _packed([])["first"].tolist() == [0]


def test_a_block_is_kept_for_the_next_item() -> None:
    """Reading neighbours decompresses their block once: what was read stays when the bytes are gone."""
    sections = _packed([b"one", b"two"])
    sections["data"] = sections["data"].copy()
    blocks = Blocks("key", sections, 2)
    assert blocks.item(0) == b"one"
    sections["data"][:] = 0
    assert blocks.item(1) == b"two"
    with pytest.raises(Damaged, match="block 0"):
        list(blocks.items())


@pytest.mark.parametrize("i", [-1, 2])
def test_there_is_no_item_outside(i: int) -> None:
    """A number that no item has is an error of the caller."""
    with pytest.raises(IndexError):
        Blocks("key", _packed([b"one", b"two"]), 2).item(i)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("size", [3]), ("first", [0, 1]), ("first", [1, 2]), ("first", [0, 2, 2]), ("first", []), ("at", [0, 5]),
        ("at", [0, 0]), ("at", [0, 10**9]),
    ],
)  # fmt: skip
def test_sections_that_do_not_fit_together_are_damage(name: str, values: list[int]) -> None:
    """Sizes, first items and places are checked against each other before anything is read."""
    sections = _packed([b"one", b"two"])
    sections[name] = np.array(values, sections[name].dtype)
    with pytest.raises(Damaged, match="key"):
        Blocks("key", sections, 2)


@pytest.mark.parametrize("sizes", [[3, 4], [0, 0], [2**32 - 1, 2**32 - 1], [5, 0]])
def test_a_block_of_other_length_is_damage(sizes: list[int]) -> None:
    """A block that holds more or less than its items together is refused, not cut to fit."""
    sections = _packed([b"one", b"two"])
    sections["size"] = np.array(sizes, "<u4")
    with pytest.raises(Damaged, match="key: block 0"):
        Blocks("key", sections, 2).item(0)
