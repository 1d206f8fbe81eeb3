"""Exact search over int8 rows by cosine similarity; the only file that knows USearch.

Knows rows and queries; knows nothing of what they stand for. A flat scan has no graph to rot, and 300,000 rows of 384
take about 10 ms.
Invariant: scores are exact for the quantised numbers and in falling order, equal ones by position, on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import BadInput

if TYPE_CHECKING:
    from numpy import float32, int8, int64
    from numpy.typing import NDArray

LEVELS: Final = 127
_CHUNK_ROWS = 8192


def quantise(vectors: NDArray[float32]) -> NDArray[int8]:
    """Returns rows of whole numbers, each scaled so that its largest is ±127; a row of zeros stays one.

    `vectors` is (rows, dims), or one vector (dims); cosine similarity does not see the scale. Raises BadInput for
    numbers that are not finite.
    """
    import numpy as np

    flat = vectors.reshape(-1, vectors.shape[-1])
    out = np.empty(flat.shape, np.int8)
    # In parts: a life's vectors at once would need several times their own memory.
    for at in range(0, len(flat), _CHUNK_ROWS):
        out[at : at + _CHUNK_ROWS] = _quantised(flat[at : at + _CHUNK_ROWS].astype(np.float64))
    return out.reshape(vectors.shape)


def search(rows: NDArray[int8], query: NDArray[float32], k: int) -> tuple[NDArray[int64], NDArray[float32]]:
    """Returns positions and cosine similarities of the `k` rows (or all, if fewer) nearest to `query` (dims).

    A query of zeros resembles nothing: it finds no row. Raises BadInput for one that is not finite or of other dims.
    """
    import numpy as np
    from usearch.compiled import MetricKind
    from usearch.index import search as usearch

    if query.shape != rows.shape[1:]:
        raise BadInput(f"a query of {query.shape} for rows of {rows.shape[1:]} numbers")
    asked = quantise(query)
    count = min(k, len(rows))
    if count < 1 or not asked.any():
        return np.empty(0, np.int64), np.empty(0, np.float32)
    found = usearch(rows, asked, count, MetricKind.Cos, exact=True, threads=1)
    positions = np.sort(np.asarray(found.keys, np.int64))
    scores = _cosines(rows[positions], asked)
    order = np.argsort(-scores, kind="stable")
    return positions[order], scores[order]


def search_rows(
    rows: NDArray[int8], positions: NDArray[Any], query: NDArray[float32], k: int
) -> tuple[NDArray[int64], NDArray[float32]]:
    """Returns what `search` does, among the rows at `positions` only; the positions returned are those of `rows`."""
    import numpy as np

    within, scores = search(rows[positions], query, k)
    return np.asarray(positions, np.int64)[within], scores


def _quantised(vectors: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    if not np.isfinite(vectors).all():
        raise BadInput("a vector with a number that is not finite")
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0)
    scaled: NDArray[Any] = np.rint(vectors * np.divide(LEVELS, largest, out=np.zeros_like(largest), where=largest > 0))
    return scaled


def _cosines(rows: NDArray[int8], query: NDArray[int8]) -> NDArray[float32]:
    import numpy as np

    # Whole numbers below 2^53: the sums are exact, so the scores do not depend on the processor.
    left, right = rows.astype(np.float64), query.astype(np.float64)
    norms = np.sqrt((left * left).sum(axis=1) * (right @ right))
    scores: NDArray[float32] = np.divide(left @ right, norms, out=np.zeros(len(rows)), where=norms > 0).astype("f4")
    return scores
