"""The lanes: five ways a memory can reach the menu, each giving positions of memories and how much they matter (pure).

Each lane works alone on the arrays of a view; how their answers become one order is said in `lane_fusion`.
Invariant: a lane that finds nothing above its floor gives nothing; better blank than imagined.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Final, TypeAlias

from paramecium.index import vectors, words
from paramecium.memories.day_marks import marks_of
from paramecium.memories.view import MemoryView
from paramecium.recall.eligible import Eligible
from paramecium.recall.ranking import VECTORS_WEIGHT, WORDS_WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TAKEN: Final = 300
WORDS_LIFT: Final = 0.1
WORDS_MAX: Final = 2.0
WORDS_ALONE: Final = 1.5
WHOLE_WORDS_MAX: Final = 16
EDGE_MIN: Final = 2
CONTEXT_TERMS_MIN: Final = 3
SHIPPED_WEIGHT: Final = 200
NO_FLOOR: Final = 1.0
_NAMED, _ANNIVERSARY = 2.0, 1.0

Found: TypeAlias = dict[int, float]
"""Positions of memories, each with its relevance within one lane; higher is better."""


def floor_of(floors: Mapping[str, float], lane: str) -> float:
    """Returns a lane's floor; a model whose floors nobody measured brings nothing up by vectors."""
    return floors.get(f"menu.{lane}", NO_FLOOR)


def resembling(
    view: MemoryView, eligible: Eligible, text: str, vector: "NDArray[np.float32] | None", floor: float
) -> Found:
    """Returns the memories a text resembles, by vectors and words together: the lanes `message` and `afterglow`.

    `vector` is that of the text, of length 1 and not centred; without one, words alone bring up what shares several
    rare words. A memory must reach `floor` with its centred cosine and a tenth of its words' strength (at most 2), 1
    being a shared word that stands in no other memory.
    """
    strength = _strength(view, text)
    strength[~eligible.past] = 0
    sharing = strength.nonzero()[0]
    best = sharing[(-strength[sharing]).argsort(kind="stable")[:TAKEN]].tolist()
    near = {} if vector is None else _near(view, eligible, vector - view.mean, best)
    strongest = float(strength[best[0]]) if best else 1.0
    nearest = max((*near.values(), 1e-9))
    found: Found = {}
    for position in dict.fromkeys((*near, *best)):
        shared, cosine = float(strength[position]), near.get(position)
        if not _reaches(cosine, shared, floor) or not eligible.unseen(position):
            continue
        found[position] = WORDS_WEIGHT * shared / strongest + VECTORS_WEIGHT * max(cosine or 0.0, 0.0) / nearest
    return found


def context(
    view: MemoryView, eligible: Eligible, text: str, vector: "NDArray[np.float32] | None", floor: float
) -> Found:
    """Returns what was opened in moments that now resembles: their centred cosine, of the best such moment.

    `vector` is the message's, not centred. A message of fewer than three terms resembles every other such message, and
    brings up none.
    """
    if vector is None or not len(view.moment_rows) or len(words.terms(text)) < CONTEXT_TERMS_MIN:
        return {}
    found: Found = {}
    cosines = _moment_cosines(view, vector)
    for moment in (cosines >= floor).nonzero()[0].tolist():
        for position in map(view.holding, view.moment_memories[moment]):
            if eligible.past[position] and eligible.unseen(position):
                found[position] = max(found.get(position, 0.0), float(cosines[moment]))
    return found


def edges(view: MemoryView, eligible: Eligible, sources: Iterable[int]) -> Found:
    """Returns what was recalled next to the memories at `sources`, twice or more, with how often."""
    found: Found = {}
    for source in dict.fromkeys(sources):
        for recalled, count in view.edges.get(source, ()):
            neighbour = view.holding(recalled)
            if neighbour != source and count >= EDGE_MIN and eligible.past[neighbour] and eligible.unseen(neighbour):
                found[neighbour] = found.get(neighbour, 0.0) + count
    return found


def this_day(view: MemoryView, eligible: Eligible, today: date) -> Found:
    """Returns the memories that name today, or count to it, and those of the same day in another year.

    What is named goes before what merely happened on such a day. A memory of today is no anniversary.
    """
    found: Found = {}
    for mark in marks_of(today):
        for position in view.days.get(mark, ()):
            day = int(view.day[position])
            if not eligible.present[position] or day == eligible.today or not eligible.unseen(position):
                continue
            own = f"{date.fromordinal(day):%m-%d}" if day else ""
            if own != mark:
                found[position] = _NAMED
            elif day < eligible.today:
                found.setdefault(position, _ANNIVERSARY)
    return found


def _reaches(cosine: float | None, strength: float, floor: float) -> bool:
    if cosine is None:
        return strength >= WORDS_ALONE
    return cosine + WORDS_LIFT * min(strength, WORDS_MAX) >= floor


def _strength(view: MemoryView, text: str) -> "NDArray[np.float64]":
    """BM25 of each memory (N), 1 being what a word of one memory alone gives; single characters say too little."""
    import numpy as np

    terms = _rare_enough(text)
    out = np.zeros(len(view.memories))
    if not terms:
        return out
    for scanned in view.scans:
        scanned.scan.gather(terms)
    statistics = words.together([s.scan.statistics(terms) for s in view.scans])
    for scanned in view.scans:
        scores = scanned.scan.bm25(terms, statistics)
        out[scanned.first : scanned.first + len(scores)] = scores
    rarest: NDArray[np.float64] = out / np.log1p((statistics.documents + 0.5) / 1.5)
    return rarest


def _rare_enough(text: str) -> list[str]:
    """The terms that may tell one memory from others; of whole words, for which all is gone through, at most 16."""
    terms = [term for term in words.terms(text) if len(term) > 1]
    whole = [term for term in terms if words.is_word(term)]
    half = WHOLE_WORDS_MAX // 2
    left_out = set(whole[half:-half])
    return [term for term in terms if term not in left_out]


def _near(view: MemoryView, eligible: Eligible, query: "NDArray[np.float32]", besides: list[int]) -> dict[int, float]:
    """The nearest 300 memories, and those at `besides` that have a vector, with their cosines."""
    import numpy as np

    if not len(view.rows):
        return {}
    may = eligible.past[view.row_of]
    rows = view.rows if may.all() else view.rows[may]
    of_row = view.row_of if may.all() else view.row_of[may]
    found, cosines = vectors.search(rows, query, TAKEN)
    out = dict(zip(of_row[found].tolist(), cosines.tolist(), strict=True))
    wanted = np.flatnonzero(np.isin(view.row_of, [p for p in besides if p not in out]))
    found, cosines = vectors.search_rows(view.rows, wanted, query, TAKEN)
    return out | dict(zip(view.row_of[found].tolist(), cosines.tolist(), strict=True))


def _moment_cosines(view: MemoryView, vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Cosines of a raw vector with the moments (K), both centred with the moments' mean, drawn towards the memories'.

    That mean is drawn as if the memories' stood for 200 moments. The rows are never centred one by one:
    cos(r - m, q) follows from r·q, r·m and m·q.
    """
    import numpy as np

    rows = view.moment_rows.astype(np.float32)
    rows /= np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1e-9)[:, None]
    mean = (rows.sum(axis=0) + SHIPPED_WEIGHT * view.mean) / (len(rows) + SHIPPED_WEIGHT)
    query = vector - mean
    query /= max(float(np.linalg.norm(query)), 1e-9)
    along = rows @ np.stack([query, mean], axis=1)
    lengths = np.sqrt(np.maximum(1.0 - 2.0 * along[:, 1] + mean @ mean, 1e-9))
    cosines: NDArray[np.float32] = (along[:, 0] - mean @ query) / lengths
    return cosines
