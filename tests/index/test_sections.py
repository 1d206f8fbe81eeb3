"""A file of arrays gives back what was put in, aligned, and says of any other bytes that they are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import Damaged
from paramecium.index.sections import ALIGN, count_of, pack, unpack
from paramecium.messages import Json, dump_json

MAGIC = b"PmTest01"
ARRAYS = {"a": np.arange(5, dtype="<u4"), "b": np.empty(0, "<u8"), "c": np.arange(100, dtype="<i1").reshape(10, 10)}
DTYPES = {"a": "<u4", "b": "<u8", "c": "<i1"}


def _bytes_of(body: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(body, np.uint8)


def _file_of(head: bytes) -> bytes:
    start = MAGIC + (1).to_bytes(4, "little") + len(head).to_bytes(4, "little") + head
    return start + bytes(-len(start) % ALIGN + 640)


def test_arrays_come_back_without_a_copy() -> None:
    """Sections are views of the bytes, each begins at a multiple of 64, and the header keeps every character."""
    body = _bytes_of(pack(MAGIC, {"名": "小草\u2028\ud800"}, ARRAYS))
    header, found = unpack(body, "key", MAGIC, DTYPES)
    assert header["名"] == "小草\u2028\ud800"
    for name, array in ARRAYS.items():
        assert found[name].tolist() == array.reshape(-1).tolist()
        assert found[name].size == 0 or np.shares_memory(found[name], body)
        assert (found[name].ctypes.data - body.ctypes.data) % ALIGN == 0 or found[name].size == 0


@pytest.mark.parametrize(
    "place", [None, 7, [0], [0, -1], [-64, 1], [1, 1], [0, 161], [640, 1], [0, 10**30], [64, 1.5], ["0", 1], [0, 1, 2]]
)
def test_a_section_outside_the_file_is_damage(place: object) -> None:
    """A place that is none, not aligned, or not within the file is refused; one within it is read."""
    good: Json = {"sections": {"a": [0, 160]}}
    assert unpack(_bytes_of(_file_of(dump_json(good))), "key", MAGIC, {"a": "<u4"})[1]["a"].size == 160
    with pytest.raises(Damaged, match="key: the section a"):
        unpack(_bytes_of(_file_of(dump_json({"sections": {"a": place}}))), "key", MAGIC, {"a": "<u4"})


@pytest.mark.parametrize("head", [b"", b"[]", b"{}", b'{"sections":[]}', b'{"sections":', b"\xff", b"[" * 99_999])
def test_a_header_that_is_none_is_damage(head: bytes) -> None:
    """A header must be a JSON object that names sections."""
    with pytest.raises(Damaged, match="key"):
        unpack(_bytes_of(_file_of(head)), "key", MAGIC, {})


@given(st.binary(max_size=200))
def test_foreign_bytes_are_damage(body: bytes) -> None:
    """Bytes of anything else are refused by magic, version or length."""
    with pytest.raises(Damaged, match="key"):
        unpack(_bytes_of(body), "key", MAGIC, DTYPES)
    for start in (MAGIC, MAGIC + b"\2\0\0\0" + bytes(52), MAGIC + b"\1\0\0\0" + b"\xff" * 4):
        with pytest.raises(Damaged, match="key"):
            unpack(_bytes_of(start), "key", MAGIC, DTYPES)


@pytest.mark.parametrize("value", [None, -1, 2**32, True, 1.0, "1"])
def test_a_count_is_a_whole_number(value: object) -> None:
    """A number of a header is one, and within its bounds."""
    assert count_of({"messages": 3}, "key", "messages") == 3
    with pytest.raises(Damaged, match="messages"):
        count_of({"messages": value}, "key", "messages")
