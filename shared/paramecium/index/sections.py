"""A file of arrays: a magic, a JSON header, and 64-byte aligned sections that can be mapped as they are.

    0   8 bytes  magic, which names the kind of file
    8   u4       version of the format, 1
    12  u4       length of the header
    16  header   UTF-8 JSON; its "sections" is {name: [offset from the data's begin, count of elements]}
    …            zeros up to the next multiple of 64: here the data begins; every section begins at a multiple of 64

All numbers are little-endian. Knows nothing of what the arrays mean.
Invariant: nothing in a header is believed before it was checked against the file's length; what is wrong raises
Damaged, whatever the bytes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import BadInput, Damaged
from paramecium.messages import Json, dump_json, load_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION: Final = 1
ALIGN: Final = 64
_FIXED_BYTES: Final = 16


def pack(magic: bytes, header: Json, sections: Mapping[str, NDArray[Any]]) -> bytes:
    """Returns the file of `header` and `sections` (contiguous arrays), which follow each other in the order given."""
    places: dict[str, list[int]] = {}
    at = 0
    for name, array in sections.items():
        places[name] = [at, int(array.size)]
        at = _aligned(at + array.nbytes)
    head = dump_json({**header, "sections": places})
    start = magic + VERSION.to_bytes(4, "little") + len(head).to_bytes(4, "little") + head
    parts: list[bytes | memoryview[int]] = [start, _padding(len(start))]
    for array in sections.values():
        parts += [array.data.cast("B") if array.size else b"", _padding(array.nbytes)]
    return b"".join(parts)


def unpack(
    data: NDArray[Any], key: str, magic: bytes, dtypes: Mapping[str, str]
) -> tuple[Json, dict[str, NDArray[Any]]]:
    """Returns the header and the sections named in `dtypes` as flat views of `data` (bytes), without a copy.

    Raises Damaged naming `key` when magic, version, header or a section's place is not what it should be.
    """
    fixed = data[:_FIXED_BYTES].tobytes()
    if len(fixed) < _FIXED_BYTES or fixed[:8] != magic:
        raise Damaged(f"{key}: not a file of the kind {magic!r}")
    if int.from_bytes(fixed[8:12], "little") != VERSION:
        raise Damaged(f"{key}: not of version {VERSION}")
    head_end = _FIXED_BYTES + int.from_bytes(fixed[12:], "little")
    if head_end > data.size:
        raise Damaged(f"{key}: the header ends behind the file")
    try:
        header = load_json(data[_FIXED_BYTES:head_end].tobytes())
    except BadInput as error:
        raise Damaged(f"{key}: the header cannot be read: {error}") from error
    if not isinstance(header, dict) or not isinstance(header.get("sections"), dict):
        raise Damaged(f"{key}: the header names no sections")
    body = data[_aligned(head_end) :]
    return header, {name: _view(body, key, name, header["sections"].get(name), dtypes[name]) for name in dtypes}


def count_of(header: Json, key: str, name: str, limit: int = 2**32 - 1) -> int:
    """Returns the header's number `name`; raises Damaged when it is none from 0 to `limit`."""
    value = header.get(name)
    if type(value) is not int or not 0 <= value <= limit:
        raise Damaged(f"{key}: the header's {name} is not a number from 0 to {limit}: {value!r:.60}")
    return value


def _view(body: NDArray[Any], key: str, name: str, place: object, dtype: str) -> NDArray[Any]:
    import numpy as np

    kind = np.dtype(dtype)
    match place:
        case [int(at), int(count)] if at >= 0 and at % ALIGN == 0 and count >= 0:
            end = at + count * kind.itemsize
            if end <= body.size:
                return body[at:end].view(kind)
    raise Damaged(f"{key}: the section {name} does not lie within the file: {place!r:.60}")


def _aligned(at: int) -> int:
    return -(-at // ALIGN) * ALIGN


def _padding(length: int) -> bytes:
    return bytes(_aligned(length) - length)
