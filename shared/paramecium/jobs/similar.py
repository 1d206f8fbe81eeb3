"""Which earlier memories a new one is compared with: the nearest by the vector of what they say.

Invariant: a note is compared with what was added before it in the same run, too, though no snapshot knows that yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paramecium.memories.conflicts import CANDIDATES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import float32, int8
    from numpy.typing import NDArray

    from paramecium.index.embedder import Embedding
    from paramecium.memories.events import Note
    from paramecium.memories.view import MemoryView

# Centred cosine similarity of what two notes say. With the shipped model ten pairs that tell of one thing lie at 0.60
# and above, four of five that share no more than a name below 0.5: one shown in vain costs a part of a call, one that
# is not shown is never compared.
SIMILAR_MIN: Final = 0.5


class Similar:
    """Finds for each note the earlier ones most similar to it; one run asks one of these."""

    def __init__(self, view: Callable[[], MemoryView], embedder: Embedding) -> None:
        self._view, self._embedder = view, embedder
        self._asked: dict[str, tuple[Note, NDArray[int8]]] = {}

    def __call__(self, notes: Sequence[Note]) -> list[tuple[Note, ...]]:
        """Returns for each note up to 10 others, most similar first; none that are retired, or below the floor."""
        from paramecium.index.vectors import quantise

        if not notes:
            return []
        view = self._view()
        vectors = self._embedder.passages([note.content for note in notes])
        fits = view.model == self._embedder.id and len(view.mean) == self._embedder.dims
        vectors = vectors - (view.mean if fits else self._embedder.mean)
        found = []
        for note, vector in zip(notes, vectors, strict=True):
            scored = [*(_in_view(view, vector) if fits else ()), *self._in_run(vector)]
            scored.sort(key=lambda pair: -pair[0])
            nearest = {n.id: n for score, n in scored if score >= SIMILAR_MIN and n.id != note.id}
            found.append(tuple(nearest.values())[:CANDIDATES_MAX])
            self._asked[note.id] = (note, quantise(vector))
        return found

    def _in_run(self, vector: NDArray[float32]) -> list[tuple[float, Note]]:
        import numpy as np

        from paramecium.index.vectors import search

        if not self._asked:
            return []
        notes = [note for note, _ in self._asked.values()]
        rows = np.stack([row for _, row in self._asked.values()])
        positions, scores = search(rows, vector, CANDIDATES_MAX + 1)
        return [(float(score), notes[i]) for i, score in zip(positions.tolist(), scores.tolist(), strict=True)]


def _in_view(view: MemoryView, vector: NDArray[float32]) -> list[tuple[float, Note]]:
    import numpy as np

    from paramecium.index.vectors import search_rows

    standing = [view.state.standing(view.memories[i]) != "retired" for i in view.row_of.tolist()]
    kept = np.flatnonzero(np.array(standing, bool))
    positions, scores = search_rows(view.rows, kept, vector, CANDIDATES_MAX + 1)
    of = view.row_of[positions].tolist()
    return [(float(score), view.memories[i].note) for i, score in zip(of, scores.tolist(), strict=True)]
