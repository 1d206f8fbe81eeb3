"""The derived blocks of the memories: a base of everything below one event, and small blocks of vectors made since.

Both are files of `sections`. A base, magic b"PmMemory": the state (see `state_form`), its texts (see `pool`), and
    standing u1, day, valid_from, valid_until i4 (N)    see `making.Prepared`
    joined u1, starts u4 (N + 1), lengths u4 (N)        the scan: UTF-8 (lone surrogates passed), begins in code points
    mark, mark_ends, mark_at u4                         texts of the day marks, where the positions of each end, these
    near_ends, near, near_count u4                      see `making.Neighbours`
    row_of u4 (M), moment_of u4 (K), moment_rows i1     see `making.Prepared`
    shown, shown_ends u4                                positions each moment with a vector opened
and the vectors, which alone make a block of vectors, magic b"PmMemVec":
    shipped f4 (dims), rows i1 (M × dims), scales f8 (M), id u4 (M), asked u4 (2 × A), asked_rows i1    see `rows.Rows`
with `model`, `dims` and `total` in the header. Knows nothing of stores. Pure.
Invariant: what is read is what was written, to the last character and number; bytes that are no block raise Damaged.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import Damaged, ParameciumError
from paramecium.index.sections import pack, unpack
from paramecium.index.words import Scan
from paramecium.memories import pool, state_form
from paramecium.memories.making import Neighbours, Prepared
from paramecium.memories.rows import Rows
from paramecium.messages import Json

if TYPE_CHECKING:
    from numpy.typing import NDArray

BASE_MAGIC: Final = b"PmMemory"
ROWS_MAGIC: Final = b"PmMemVec"
_ROWS: Final = {"shipped": "<f4", "rows": "<i1", "scales": "<f8", "id": "<u4", "asked": "<u4", "asked_rows": "<i1"}
_DAYS: Final = dict.fromkeys(("day", "valid_from", "valid_until"), "<i4")
_PLACES: Final = (
    *("starts", "lengths", "mark", "mark_ends", "mark_at", "near_ends", "near", "near_count"),
    *("row_of", "moment_of", "shown", "shown_ends"),
)
ROWS_DTYPES: Final = _ROWS | pool.DTYPES
BASE_DTYPES: Final = (
    ROWS_DTYPES
    | state_form.DTYPES
    | _DAYS
    | {"standing": "<u1", "joined": "<u1", "moment_rows": "<i1"}
    | dict.fromkeys(_PLACES, "<u4")
)
_WRONG: Final = (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError)
Sections = dict[str, "NDArray[Any]"]


def pack_rows(rows: Rows) -> bytes:
    """Returns a block of vectors."""
    texts = pool.PoolWriter()
    header, sections = _rows_to(rows, texts)
    return pack(ROWS_MAGIC, header, _ordered(sections | texts.sections(), ROWS_DTYPES))


def unpack_rows(data: NDArray[Any], key: str) -> Rows:
    """Returns the vectors of a block's bytes (u1), without copying the rows; raises Damaged naming `key`."""
    header, sections = unpack(data, key, ROWS_MAGIC, ROWS_DTYPES)
    try:
        return _rows_from(header, sections, pool.Pool(sections, key))
    except (*_WRONG, ParameciumError) as error:
        raise Damaged(f"{key}: not a block of vectors: {type(error).__name__} {error}") from error


def pack_base(made: Prepared) -> bytes:
    """Returns the block of everything."""
    import numpy as np

    texts = pool.PoolWriter()
    state_header, sections = state_form.write(made.state, texts)
    rows_header, rows = _rows_to(made.rows, texts)
    days = {name: getattr(made, name).astype("<i4") for name in _DAYS}
    joined = np.frombuffer(made.scan.joined.encode("utf-8", "surrogatepass"), "<u1")
    shown = [place for places in made.opened for place in places]
    sections |= rows | days | {"standing": made.standing.astype("<u1"), "joined": joined}
    sections |= {
        "starts": _places(made.scan.starts),
        "lengths": _places(made.scan.lengths),
        "mark": texts.column(made.days),
        "mark_ends": _ends(made.days.values()),
        "mark_at": _places([place for places in made.days.values() for place in places]),
        "near_ends": _places(made.edges.ends),
        "near": _places(made.edges.near),
        "near_count": _places(made.edges.counts),
        "row_of": _places(made.row_of),
        "moment_of": _places(made.moment_of),
        "moment_rows": made.moment_rows,
        "shown": _places(shown),
        "shown_ends": _ends(made.opened),
    }
    return pack(BASE_MAGIC, state_header | rows_header, _ordered(sections | texts.sections(), BASE_DTYPES))


def unpack_base(data: NDArray[Any], key: str) -> Prepared:
    """Returns what a base's bytes (u1) hold; raises Damaged naming `key`."""
    try:
        with _collector_paused():
            header, sections = unpack(data, key, BASE_MAGIC, BASE_DTYPES)
            return _prepared(header, sections, pool.Pool(sections, key))
    except Damaged:
        raise
    except (*_WRONG, ParameciumError) as error:
        raise Damaged(f"{key}: not a block of memories: {type(error).__name__} {error}") from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """The garbage collector would walk again and again through what is being made, and stays: half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _prepared(header: Json, sections: Sections, texts: pool.Pool) -> Prepared:
    import numpy as np

    near = Neighbours(sections["near_ends"], sections["near"], sections["near_count"])
    state = state_form.read(header, sections, texts, near)
    joined = str(sections["joined"].data, "utf-8", "surrogatepass")
    rows = _rows_from(header, sections, texts)
    marks = zip(texts.strings(sections["mark"]), _cut(sections["mark_at"], sections["mark_ends"]), strict=True)
    return Prepared(
        state,
        tuple(state.memories.values()),
        dict(zip(state.memories, range(len(state.memories)), strict=True)),
        sections["standing"].view(np.bool_),
        sections["day"],
        sections["valid_from"],
        sections["valid_until"],
        scan=Scan.of_joined(joined, sections["starts"].astype(np.int64), sections["lengths"]),
        days=dict(marks),
        edges=near,
        rows=rows,
        row_of=sections["row_of"].astype(np.int64),
        moment_of=sections["moment_of"].astype(np.int64),
        moment_rows=sections["moment_rows"].reshape(-1, max(rows.dims, 1))[:, : rows.dims],
        opened=tuple(_cut(sections["shown"], sections["shown_ends"])),
    )


def _rows_to(rows: Rows, texts: pool.PoolWriter) -> tuple[Json, Sections]:
    header = {"model": rows.model, "dims": rows.dims, "total": rows.total.tolist()}
    return header, {
        "shipped": rows.shipped.astype("<f4"),
        "rows": rows.rows,
        "scales": rows.scales.astype("<f8"),
        "id": texts.column(rows.ids),
        "asked": texts.column(name for asked in rows.asked for name in asked),
        "asked_rows": rows.asked_rows,
    }


def _rows_from(header: Json, sections: Sections, texts: pool.Pool) -> Rows:
    import numpy as np

    dims, model = header["dims"], header["model"]
    ids, asked = texts.strings(sections["id"]), texts.strings(sections["asked"])
    shipped, total = sections["shipped"], np.array(header["total"], np.int64)
    if type(model) is not str or not len(shipped) == len(total) == dims or len(sections["scales"]) != len(ids):
        raise ValueError("its vectors are not as many, or as long, as it says")
    rows = sections["rows"].reshape(len(ids), dims)
    pairs = tuple(zip(asked[::2], asked[1::2], strict=True))
    asked_rows = sections["asked_rows"].reshape(len(pairs), dims)
    return Rows(model, shipped, tuple(ids), rows, sections["scales"], total, pairs, asked_rows)


def _cut(places: NDArray[Any], ends: NDArray[Any]) -> list[tuple[int, ...]]:
    flat = places.tolist()
    return [tuple(flat[a:b]) for a, b in pairwise((0, *ends.tolist()))]


def _ends(lists: Any) -> NDArray[Any]:
    return _places(list(accumulate(map(len, lists))))


def _places(numbers: Any) -> NDArray[Any]:
    import numpy as np

    return np.array(numbers, "<u4")


def _ordered(sections: Mapping[str, NDArray[Any]], dtypes: Mapping[str, str]) -> Sections:
    import numpy as np

    return {name: np.ascontiguousarray(sections[name]) for name in dtypes}
