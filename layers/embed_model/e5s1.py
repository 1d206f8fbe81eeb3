"""Reads the E5S1 weights file: an XLM-R vocabulary, a character table, and the tensors of a small BERT.

Knows the byte layout (little endian): magic "E5S1", u32 version 1; i32 hidden, layers, heads, ffn, embedding rows,
positions, token types; f32 layer-norm epsilon; i32 block (32); i32 pieces, bos, eos, pad, unk; u64 length of the piece
text; u32 offsets[pieces + 1]; f32 scores[pieces]; piece text; i32 entries and u32 bytes of the character table, each
u32 code point, u8 count, u32 replacements[count]; i32 tensors, each u16 name length, name, u8 kind (0 f32, 1 Q4_0), u32
elements, u64 offset, u64 bytes; then the data. Refuses to know what a tensor is for. Invariant: nothing is read beyond
the end of the file or beside the layout; a file that would need it is refused with ModelDamaged.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paramecium.errors import ModelDamaged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

BLOCK = 32
_MAGIC = b"E5S1"
_Q4_BYTES = 2 + BLOCK // 2  # an fp16 scale, then two weights a byte


@dataclass(frozen=True)
class Shape:
    """The sizes of the network."""

    hidden: int
    layers: int
    heads: int
    ffn: int
    rows: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True)
class Weights:
    """One weights file: piece i has score i and embedding row i; `replacements` maps a code point to code points."""

    shape: Shape
    pieces: tuple[str, ...]
    scores: NDArray[np.float32]
    replacements: Mapping[int, tuple[int, ...]]
    _data: bytes
    _tensors: Mapping[str, tuple[int, int, int, int]]

    def floats(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Reads an f32 tensor of the given shape; raises ModelDamaged if it has another size or kind."""
        count = int(np.prod(shape))
        offset = self._place(name, kind=0, elements=count, size=4 * count)
        return np.frombuffer(self._data, "<f4", count, offset).reshape(shape)

    def nibbles(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
        """Reads a Q4_0 matrix as values 0…15 (rows, columns) and scales (rows, columns / 32).

        A weight is (value − 8) · scale; byte j of a block holds weight j in its low half and weight j + 16 above it.
        """
        blocks = rows * columns // BLOCK
        offset = self._place(name, kind=1, elements=rows * columns, size=blocks * _Q4_BYTES)
        raw = np.frombuffer(self._data, np.uint8, blocks * _Q4_BYTES, offset).reshape(blocks, _Q4_BYTES)
        scales = raw[:, :2].copy().view("<f2").reshape(rows, columns // BLOCK)
        values = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], axis=1)
        return values.reshape(rows, columns), scales

    def _place(self, name: str, *, kind: int, elements: int, size: int) -> int:
        if name not in self._tensors:
            raise ModelDamaged(f"the weights file has no tensor {name}")
        found_kind, found_elements, offset, found_size = self._tensors[name]
        if (found_kind, found_elements, found_size) != (kind, elements, size):
            raise ModelDamaged(f"tensor {name} of the weights file has another size or kind than its network needs")
        return offset


def read(data: bytes) -> Weights:
    """Reads a whole weights file; raises ModelDamaged naming what is wrong with it."""
    if data[:4] != _MAGIC:
        raise ModelDamaged(f"the weights file begins with {data[:4]!r}, not with {_MAGIC!r}")
    cursor = _Cursor(data, 4)
    (version,) = cursor.take("I")
    shape = Shape(*cursor.take("7if"))
    block, count = cursor.take("ii")
    cursor.take("4i")  # bos, eos, pad, unk: always 0, 2, 1, 3 in this vocabulary, checked by name in the tokenizer
    if version != 1 or block != BLOCK:
        raise ModelDamaged(f"the weights file has version {version} and block {block}; 1 and {BLOCK} are known")
    (length,) = cursor.take("Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    pieces = _pieces(cursor.bytes(length), offsets)
    replacements = _replacements(cursor)
    return Weights(shape, pieces, scores, replacements, data, _tensors(cursor))


class _Cursor:
    """A place in the file that moves forward and never past the end."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, form: str) -> tuple[Any, ...]:
        form = "<" + form
        return struct.unpack_from(form, self.data, self._step(struct.calcsize(form)))

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        return np.frombuffer(self.data, dtype, count, self._step(4 * count))

    def bytes(self, count: int) -> bytes:
        at = self._step(count)
        return self.data[at : at + count]

    def _step(self, size: int) -> int:
        at = self.at
        if size < 0 or at + size > len(self.data):
            raise ModelDamaged(f"the weights file ends at byte {len(self.data)}; byte {at + size} is needed")
        self.at = at + size
        return at


def _pieces(text: bytes, offsets: NDArray[Any]) -> tuple[str, ...]:
    ends = offsets.tolist()
    try:
        return tuple(text[ends[i] : ends[i + 1]].decode() for i in range(len(ends) - 1))
    except UnicodeDecodeError as error:
        raise ModelDamaged(f"the vocabulary of the weights file is no UTF-8: {error}") from error


def _replacements(cursor: _Cursor) -> dict[int, tuple[int, ...]]:
    count, size = cursor.take("iI")
    end, found = cursor.at + size, {}
    for _ in range(count):
        code, length = cursor.take("IB")
        found[code] = cursor.take(f"{length}I")
    if cursor.at != end:
        raise ModelDamaged(f"the character table of the weights file ends at byte {cursor.at}, not at {end}")
    return found


def _tensors(cursor: _Cursor) -> dict[str, tuple[int, int, int, int]]:
    (count,) = cursor.take("i")
    found = {}
    for _ in range(count):
        (length,) = cursor.take("H")
        name = cursor.bytes(length).decode("utf-8", "replace")
        kind, elements, offset, size = cursor.take("BIQQ")
        if offset + size > len(cursor.data):
            raise ModelDamaged(f"the weights file ends at byte {len(cursor.data)}; {name} needs byte {offset + size}")
        found[name] = (kind, elements, offset, size)
    return found
