"""Many small byte strings in zlib blocks of about 64 KB, each readable without the others.

The sections: `size` u4 (bytes of each item), `first` u4 (number of each block's first item, and the count of items at
the end), `at` u8 (offset of each block in `data`, and its length at the end), `data` u1. A block is closed before the
item that would make it longer than 64 KB; a longer item has a block of its own.
Knows nothing of what the items are. Invariant: the same items always make the same blocks, and a block that does not
hold what its sizes say raises Damaged.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

DTYPES: Final = {"size": "<u4", "first": "<u4", "at": "<u8", "data": "<u1"}
BLOCK_BYTES: Final = 65_536
_LEVEL = 6
_BLOCKS_KEPT = 16


class BlockWriter:
    """Packs items one after the other, so that no more than one block of them is held as it is."""

    def __init__(self) -> None:
        self._block: list[bytes] = []
        self._block_bytes = 0
        self._sizes: list[int] = []
        self._first, self._at, self._data = [0], [0], bytearray()

    def add(self, item: bytes) -> None:
        """Adds the next item."""
        if self._block and self._block_bytes + len(item) > BLOCK_BYTES:
            self._close()
        self._block.append(item)
        self._block_bytes += len(item)
        self._sizes.append(len(item))

    def sections(self) -> dict[str, NDArray[Any]]:
        """Returns the sections that hold all items; to be called once, at the end."""
        import numpy as np

        if self._block:
            self._close()
        numbers = {"size": self._sizes, "first": self._first, "at": self._at}
        packed = {name: np.array(values, DTYPES[name]) for name, values in numbers.items()}
        return packed | {"data": np.frombuffer(self._data, np.uint8)}

    def _close(self) -> None:
        self._data += zlib.compress(b"".join(self._block), _LEVEL)
        self._first.append(self._first[-1] + len(self._block))
        self._at.append(len(self._data))
        self._block, self._block_bytes = [], 0


class Blocks:
    """Reads items by number; the last 16 blocks are kept. Threads may share it."""

    def __init__(self, key: str, sections: Mapping[str, NDArray[Any]], count: int) -> None:
        """Checks the sections; raises Damaged naming `key` when they do not hold `count` items."""
        self._key, self._size, self._first, self._at = key, sections["size"], sections["first"], sections["at"]
        self._data = sections["data"]
        self._check(count)
        # The cache knows the arrays, not this object: so both go, and the file is unmapped, with the last reference.
        self._block = lru_cache(_BLOCKS_KEPT)(_reader(key, sections))

    def __len__(self) -> int:
        return len(self._size)

    def item(self, i: int) -> bytes:
        """Returns item `i` (0 ≤ i < len)."""
        if not 0 <= i < len(self):
            raise IndexError(f"{self._key}: no item {i}")
        block = int(self._first.searchsorted(self._first.dtype.type(i), "right")) - 1
        return self._block(block)[i - int(self._first[block])]

    def items(self) -> Iterator[bytes]:
        """Yields all items in order; each block is decompressed once and none is kept."""
        read = self._block.__wrapped__
        for block in range(len(self._first) - 1):
            yield from read(block)

    def _check(self, count: int) -> None:
        first, at = self._first, self._at
        if len(first) != len(at) or len(first) < 1 or len(self._size) != count:
            raise Damaged(f"{self._key}: blocks, their places and {count} items do not fit together")
        ends = (int(first[0]), int(at[0]), int(first[-1]), int(at[-1]))
        if ends != (0, 0, count, self._data.size) or not _rises(first) or not _rises(at):
            raise Damaged(f"{self._key}: the blocks do not follow each other")


def _rises(array: NDArray[Any]) -> bool:
    return bool((array[1:] > array[:-1]).all())


def _reader(key: str, sections: Mapping[str, NDArray[Any]]) -> Callable[[int], tuple[bytes, ...]]:
    size, first, at, data = (sections[name] for name in DTYPES)

    def read(block: int) -> tuple[bytes, ...]:
        sizes = size[int(first[block]) : int(first[block + 1])].tolist()
        whole = _inflate(f"{key}: block {block}", data[int(at[block]) : int(at[block + 1])].tobytes(), sum(sizes))
        out: list[bytes] = []
        start = 0
        for length in sizes:
            out.append(whole[start : start + length])
            start += length
        return tuple(out)

    return read


def _inflate(what: str, packed: bytes, length: int) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        whole = unpacker.decompress(packed, length + 1)  # never more than one byte too many, whatever is in there
    except (zlib.error, OverflowError, MemoryError) as error:
        raise Damaged(f"{what} cannot be decompressed: {error}") from error
    if len(whole) != length or not unpacker.eof or unpacker.unused_data:
        raise Damaged(f"{what} does not hold the {length} bytes it should")
    return whole
