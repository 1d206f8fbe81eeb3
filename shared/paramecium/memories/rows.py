"""The vectors of memories and of messages, quantised, as a value; and the mean they make together.

A memory's row is the raw vector less the mean the model ships with, times 127 over its largest number; `scales` keeps
the factor, so that a row can be counted into the mean, or out of it, exactly. Knows which text of a note is embedded;
knows nothing of models and stores. Pure.
Invariant: the mean hangs on the set of rows alone, not on the order or the parts they came in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from paramecium.index.vectors import LEVELS, quantise
from paramecium.memories.events import Note

if TYPE_CHECKING:
    from numpy import float32, float64, int8, int64
    from numpy.typing import NDArray

TOTAL_SCALE: Final = 2**24
MEAN_WEIGHT: Final = 200
_CHUNK_ROWS = 8192
Asked: TypeAlias = tuple[str, str]
"""A conversation and the id of a message in it."""
_Name = TypeVar("_Name", str, Asked)


@dataclass(frozen=True, slots=True)
class Rows:
    """Is rows (i1) of one model: `rows` (M, dims) of the memories `ids`, `asked_rows` (A, dims) of messages.

    `shipped` (dims) is the model's own mean, `scales` (M) what a row was divided by, `total` (dims) the sum of
    round(x * 2^24) over the raw vectors as the rows tell them. Rows of messages are of queries, and not centred.
    """

    model: str
    shipped: NDArray[float32]
    ids: tuple[str, ...]
    rows: NDArray[int8]
    scales: NDArray[float64]
    total: NDArray[int64]
    asked: tuple[Asked, ...]
    asked_rows: NDArray[int8]

    @property
    def dims(self) -> int:
        """Returns the length of a vector."""
        return len(self.shipped)


def to_embed(note: Note) -> str:
    """Returns the text that is embedded for a memory; nowhere else is it decided."""
    return note.content


def no_rows(model: str, shipped: NDArray[float32]) -> Rows:
    """Returns no row of a model."""
    import numpy as np

    empty = np.empty((0, len(shipped)), np.float32)
    return made(model, shipped, (), empty, (), empty)


def no_model() -> Rows:
    """Returns no row of no model."""
    import numpy as np

    empty, none = np.empty((0, 0), np.int8), np.empty(0, np.float32)
    return Rows("", none, (), empty, none.astype(np.float64), none.astype(np.int64), (), empty)


def made(
    model: str,
    shipped: NDArray[float32],
    ids: Sequence[str],
    vectors: NDArray[float32],
    asked: Sequence[Asked],
    asked_vectors: NDArray[float32],
) -> Rows:
    """Returns the rows of raw vectors; raises BadInput for numbers that are not finite."""
    import numpy as np

    shipped = shipped.astype("<f4")
    centred = vectors - shipped
    rows, asked_rows = quantise(centred), quantise(asked_vectors.astype(np.float32))
    scales = np.abs(centred.astype(np.float64)).max(axis=1, initial=0) / LEVELS
    return Rows(model, shipped, tuple(ids), rows, scales, total(rows, scales, shipped), tuple(asked), asked_rows)


def total(rows: NDArray[int8], scales: NDArray[float64], shipped: NDArray[float32]) -> NDArray[int64]:
    """Returns per dimension the sum of round(x * 2^24) over the raw vectors that the rows stand for."""
    import numpy as np

    out = np.zeros(len(shipped), np.int64)
    for at in range(0, len(rows), _CHUNK_ROWS):
        part = rows[at : at + _CHUNK_ROWS].astype(np.float64) * scales[at : at + _CHUNK_ROWS, None] + shipped
        out += np.rint(part * TOTAL_SCALE).astype(np.int64).sum(axis=0)
    return out


def mean(rows: Rows) -> NDArray[float32]:
    """Returns the mean of the raw vectors, drawn towards the model's own as if that stood for 200 memories."""
    import numpy as np

    count = len(rows.ids)
    drawn = (rows.total / TOTAL_SCALE + MEAN_WEIGHT * rows.shipped.astype(np.float64)) / (count + MEAN_WEIGHT)
    return drawn.astype(np.float32)


def joined(parts: Sequence[Rows], ids: Collection[str], asked: Collection[Asked]) -> Rows:
    """Returns the rows of all parts (at least one, all of one model) as one, of these memories and messages only.

    Of two rows for one memory or message the first counts.
    """
    import numpy as np

    if len(parts) == 1 and all(i in ids for i in parts[0].ids) and all(a in asked for a in parts[0].asked):
        return parts[0]
    kept = _first((name for p in parts for name in p.ids), ids)
    kept_asked = _first((name for p in parts for name in p.asked), asked)
    rows = np.concatenate([p.rows for p in parts])[list(kept.values())]
    scales = np.concatenate([p.scales for p in parts])[list(kept.values())]
    asked_rows = np.concatenate([p.asked_rows for p in parts])[list(kept_asked.values())]
    model, shipped = parts[0].model, parts[0].shipped
    if len(kept) == sum(len(p.ids) for p in parts):
        added = np.sum([p.total for p in parts], axis=0)
    else:
        added = total(rows, scales, shipped)
    return Rows(model, shipped, tuple(kept), rows, scales, added, tuple(kept_asked), asked_rows)


def _first(names: Iterable[_Name], wanted: Collection[_Name]) -> dict[_Name, int]:
    """Returns where each wanted name comes first, in the order they come."""
    places: dict[_Name, int] = {}
    for place, name in enumerate(names):
        if name in wanted:
            places.setdefault(name, place)
    return places
