"""Finding by meaning and by words: vectors ⊕ BM25 over everything a view holds, made into one order.

The query's vector is centred with the mean of the whole life, so the order does not depend on how messages came to be
cut into segments. Invariant: without a usable model, words alone answer.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paramecium.errors import ModelDamaged, ModelMissing
from paramecium.index import vectors, words
from paramecium.index.embedder import Embedding
from paramecium.index.segment_write import TOTAL_SCALE
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Hit, Near, Place, fuse
from paramecium.recall.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.segment import Segment

PASSAGES_TAKEN = 100
WORD_HITS_TAKEN = 100
MEAN_WEIGHT = 200
FLOOR = "recall"


def rank(view: View, near: "Nearness", text: str, limits: Limits) -> list[Hit]:
    """Returns the messages that answer `text`, best first."""
    by_words = word_scores(view, words.terms(text), limits)
    return fuse(near.find(view, text, limits, by_words.keys()), by_words, near.floor)


@dataclass
class Nearness:
    """Finds the passages nearest to a query; the model is loaded on first use."""

    embedder: Callable[[], Embedding]
    warn: Callable[[str], None] = lambda _: None

    @property
    def floor(self) -> float:
        """Returns the least centred cosine of a message that is found by meaning alone."""
        try:
            return float(self.embedder().floors.get(FLOOR, -1.0))
        except (ModelMissing, ModelDamaged):
            return -1.0

    def find(self, view: View, text: str, limits: Limits, also: Collection[Place] = ()) -> dict[Place, Near]:
        """Returns the nearest messages, each with its nearest passage, and how near those in `also` are."""
        if not view.segments:
            return {}
        try:
            model = self.embedder()
            raw = model.query(text) if model.id == view.manifest.model else None
        except (ModelMissing, ModelDamaged) as error:
            self.warn(str(error))
            return {}
        if raw is None:
            self.warn(f"the index is of the model {view.manifest.model}; until it is rebuilt, words alone are searched")
            return {}
        query = raw - life_mean(view.segments)
        found: dict[Place, Near] = {}
        for segment in view.segments:
            for place, near in _nearest(segment, query, limits, also):
                if place not in found or near.cosine > found[place].cosine:
                    found[place] = near
        return found


def life_mean(segments: Sequence["Segment"]) -> "NDArray[np.float32]":
    """Returns the mean of all raw vectors, drawn towards the model's own mean as if that stood for 200 passages."""
    import numpy as np

    total = np.sum([s.total for s in segments], axis=0) / TOTAL_SCALE
    counted = sum(s.counted for s in segments)
    mean: NDArray[np.float32] = (total + MEAN_WEIGHT * segments[0].mean) / (counted + MEAN_WEIGHT)
    return mean.astype(np.float32)


def _nearest(
    segment: "Segment", query: "NDArray[np.float32]", limits: Limits, also: Collection[Place]
) -> list[tuple[Place, Near]]:
    allowed = limits.rows(segment)
    if allowed is None:
        positions, scores = vectors.search(segment.rows, query, PASSAGES_TAKEN)
    else:
        positions, scores = vectors.search_rows(segment.rows, allowed, query, PASSAGES_TAKEN)
    out = [_near(segment, p, s) for p, s in zip(positions.tolist(), scores.tolist(), strict=True)]
    asked = [p for place in also if (m := segment.find(*place)) is not None for p in segment.passages_of(m)]
    if asked:
        import numpy as np

        positions, scores = vectors.search_rows(segment.rows, np.array(asked), query, len(asked))
        out += [_near(segment, p, s) for p, s in zip(positions.tolist(), scores.tolist(), strict=True)]
    return out


def _near(segment: "Segment", position: int, score: float) -> tuple[Place, Near]:
    m = int(segment.message[position])
    place = (segment.conversations[int(segment.conv[m])], int(segment.n[m]))
    return place, Near(score, int(segment.start[position]), int(segment.end[position]))


def word_scores(view: View, terms: Sequence[str], limits: Limits) -> dict[Place, float]:
    """Returns BM25 of the messages that hold words of the query, over full text and younger messages as one."""
    parts = [young.scan.statistics(terms) for young in view.young]
    parts += [view.fulltext.statistics(terms)] if view.fulltext else []
    if not parts:
        return {}
    statistics = words.together(parts)
    found: dict[Place, float] = {}
    if view.fulltext:
        conversation, days = limits.conversation, limits.days
        for conv, n, score in view.fulltext.bm25(
            terms, limit=WORD_HITS_TAKEN, days=days, conversation=conversation, statistics=statistics
        ):
            if conv != limits.besides:
                found[(conv, n)] = score
    for young in view.young:
        scores = young.scan.bm25(terms, statistics)
        for document in scores.nonzero()[0].tolist():
            place, day = young.places[document], young.days[document]
            if limits.allow(place[0], day):
                found[place] = float(scores[document])
    best = sorted(found, key=lambda p: (-found[p], p))[:WORD_HITS_TAKEN]
    return {place: found[place] for place in best}
