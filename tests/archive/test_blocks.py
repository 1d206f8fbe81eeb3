"""Blocks: cut from drafts, read back, and refused when they are not what their key says."""

from dataclasses import replace

import pytest

from paramecium.archive import blocks
from paramecium.errors import Damaged
from paramecium.messages import Entry, dump_json, entry_to

KEY = "main/archive/conversations/x-1/00000007.json"


def _said(i: int, text: str = "豆包") -> Entry:
    return Entry(f"m-{i}", 0, role="user", text=text)


def test_a_cut_block_reads_back_under_its_number() -> None:
    """Drafts become entries numbered from the block's number, and the bytes say the same."""
    entries, body = blocks.cut([_said(0), _said(1), _said(2)], 7)
    assert [e.n for e in entries] == [7, 8, 9]
    assert blocks.decode(KEY, body) == entries
    assert body == dump_json([entry_to(e) for e in entries])


def test_a_block_holds_at_most_500_entries() -> None:
    """The 501st draft waits for the next block."""
    drafts = [_said(i) for i in range(501)]
    assert len(blocks.cut(drafts, 0)[0]) == 500
    assert len(blocks.cut(drafts[:500], 0)[0]) == 500


def test_a_block_is_at_most_one_megabyte() -> None:
    """A draft that would bring the block over 1 MB waits; one that just fits does not."""
    frame = len(blocks.cut([_said(0, ""), _said(1, "")], 0)[1])
    fits = [_said(0, ""), _said(1, "x" * (blocks.BYTES_MAX - frame))]
    assert len(blocks.cut(fits, 0)[1]) == blocks.BYTES_MAX
    over = [fits[0], replace(fits[1], text=fits[1].text + "x")]
    assert len(blocks.cut(over, 0)[0]) == 1


def test_an_entry_over_one_megabyte_is_a_block_of_its_own() -> None:
    """A message is never cut, however long it is."""
    entries, body = blocks.cut([_said(0, "猫" * 400_000), _said(1)], 0)
    assert len(entries) == 1
    assert len(body) > blocks.BYTES_MAX


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}",
        b"[]",
        b"[5]",
        b"[[]]",
        b"null",
        b"\xff",
        b'[{"v":1,"id":"a","n":8}]',
        b'[{"v":1,"id":"a","n":7},{"v":1,"id":"b","n":9}]',
        b'[{"v":1,"id":"a","n":7},{"v":1,"id":"b","n":7}]',
        b'[{"v":1,"id":"a","n":7,"kind":"vote"}]',
    ],
)
def test_a_damaged_block_names_its_key(body: bytes) -> None:
    """Bytes that are no list of entries in order are damage, and the key is told."""
    assert len(blocks.decode(KEY, b'[{"v":1,"id":"a","n":7}]')) == 1
    with pytest.raises(Damaged, match=KEY):
        blocks.decode(KEY, body)


@pytest.mark.parametrize("name", ["7.json", "00000007.json.bak", "000000_7.json", "٠٠٠٠٠٠٠٧.json", "00000007 (1).json"])
def test_a_key_that_is_not_a_blocks(name: str) -> None:
    """Other files in a conversation's folder have no number."""
    assert blocks.number(KEY) == 7
    assert blocks.number(f"main/archive/conversations/x-1/{name}") is None
