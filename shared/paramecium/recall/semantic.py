"""Finding by meaning and by words: vectors ⊕ BM25 over everything a view holds, made into one order.

The query's vector is centred with the mean of the whole life, so the order does not depend on how messages came to be
cut into segments. Invariant: without a usable model, words alone answer.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paramecium.errors import ModelDamaged, ModelMissing
from paramecium.index import vectors, words
from paramecium.index.embedder import Embedding
from paramecium.index.segment_write import TOTAL_SCALE
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Hit, Moment, Near, Place, fuse
from paramecium.recall.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.segment import Segment

TAKEN = 100
TAKEN_MAX = 2000
MEAN_WEIGHT = 200
FLOOR = "recall"

_Scored = tuple[float, Place, int, int]


def rank(view: View, near: "Nearness", text: str, limits: Limits) -> Iterator[Hit]:
    """Yields the messages that answer `text`, best first, each once.

    When the best 100 of each kind are used up, all in one conversation perhaps, it goes on with the best 2,000.
    """
    limits = replace(limits, dead=view.dead)
    terms, query, floor = words.terms(text), near.query(view, text), near.floor
    given: set[Place] = set()
    for taken in (TAKEN, TAKEN_MAX):
        by_words = word_scores(view, terms, limits, taken)
        nearest = [] if query is None else _nearest(view.segments, query, limits, taken)
        also = () if query is None else _of_messages(view.segments, query, by_words)
        hits = fuse(_best_of((*nearest, *also)), by_words, floor)
        yield from (hit for hit in hits if hit.place not in given)
        given.update(hit.place for hit in hits)
        if len(by_words) < taken and (len(nearest) < taken or nearest[-1][0] < floor):
            return


@dataclass
class Nearness:
    """Makes vectors of queries; the model is loaded on first use."""

    embedder: Callable[[], Embedding]
    warn: Callable[[str], None] = lambda _: None
    _last: "tuple[str, str, NDArray[np.float32]] | None" = None

    @property
    def floor(self) -> float:
        """Returns the least centred cosine of a message that is found by meaning alone."""
        return self.floor_of(FLOOR)

    def floor_of(self, name: str) -> float:
        """Returns a threshold of the model by its name, -1 where it has none."""
        try:
            return float(self.embedder().floors.get(name, -1.0))
        except (ModelMissing, ModelDamaged):
            return -1.0

    def query(self, view: View, text: str) -> "NDArray[np.float32] | None":
        """Returns the centred vector of a query, or None when no vectors of the model at hand stand."""
        raw = self.raw(view.manifest.model, text) if view.segments else None
        return None if raw is None else raw - life_mean(view.segments)

    def raw(self, model: str, text: str) -> "NDArray[np.float32] | None":
        """Returns the uncentred vector of a query, or None when the vectors to search are not of the model at hand.

        The last one is kept: messages and memories are searched for the same question.
        """
        if not model:
            return None
        try:
            embedder = self.embedder()
            if embedder.id == model:
                last = self._last
                vector = last[2] if last and last[:2] == (model, text) else embedder.query(text)
                self._last = (model, text, vector)
                return vector
        except (ModelMissing, ModelDamaged) as error:
            self.warn(str(error))
            return None
        self.warn(f"the index is of the model {model}; until it is rebuilt, words alone are searched")
        return None


def life_mean(segments: Sequence["Segment"]) -> "NDArray[np.float32]":
    """Returns the mean of all raw vectors, drawn towards the model's own mean as if that stood for 200 passages."""
    import numpy as np

    total = np.sum([s.total for s in segments], axis=0) / TOTAL_SCALE
    counted = sum(s.counted for s in segments)
    mean: NDArray[np.float32] = (total + MEAN_WEIGHT * segments[0].mean) / (counted + MEAN_WEIGHT)
    return mean.astype(np.float32)


def word_scores(view: View, terms: Sequence[str], limits: Limits, taken: int) -> dict[Place, float]:
    """Returns BM25 of the `taken` best messages that hold words of the query, over full text and younger ones as one.

    Among equals the newer come first, wherever they stand.
    """
    parts = [young.scan.statistics(terms) for young in view.young]
    parts += [view.fulltext.statistics(terms)] if view.fulltext else []
    if not parts:
        return {}
    statistics = words.together(parts)
    scored = list(_covered(view, terms, limits, statistics, taken))
    for young in view.young:
        scores = young.scan.bm25(terms, statistics)
        for document in scores.nonzero()[0].tolist():
            place, day = young.places[document], young.days[document]
            if limits.allow(place, day):
                scored.append((float(scores[document]), (day, *place)))
    best = heapq.nlargest(taken, scored)
    return {(conversation, n): score for score, (_, conversation, n) in best}


def _covered(
    view: View, terms: Sequence[str], limits: Limits, statistics: words.Statistics, taken: int
) -> Iterator[tuple[float, Moment]]:
    """What the full text holds, with the days; a message in a damaged segment cannot be shown and is no hit."""
    if view.fulltext is None:
        return
    # Those left out may be among the best, so as many more are asked for.
    besides = sum(len(limits.left_out(s)) + len(limits.dead_messages(s)) for s in view.segments)
    limit, days, conversation = taken + besides, limits.days, limits.conversation
    found = view.fulltext.bm25(terms, limit=limit, days=days, conversation=conversation, statistics=statistics)
    for conv, n, score in found:
        day = view.day((conv, n))
        if day is not None and limits.allow((conv, n), day):
            yield score, (day, conv, n)


def _nearest(segments: "Sequence[Segment]", query: "NDArray[np.float32]", limits: Limits, taken: int) -> list[_Scored]:
    """The passages nearest to the query: the same ones, however they came to be cut into segments."""
    import numpy as np

    found: list[_Scored] = []
    for segment in segments:
        dead = np.array([p for m in limits.dead_messages(segment) for p in segment.passages_of(m)], np.int64)
        for span in limits.spans(segment):
            allowed = limits.of_days(segment, span)
            rows = segment.rows[span.start : span.stop] if allowed is None else segment.rows[allowed]
            # The dead may be among the nearest, so as many more are asked for; rows between them would be many runs.
            near, scores = _top(rows, query, taken + len(dead))
            positions = near + span.start if allowed is None else allowed[near]
            alive = ~np.isin(positions, dead)
            found += _scored(segment, positions[alive], scores[alive])
    return heapq.nlargest(taken, found)


def _top(
    rows: "NDArray[np.int8]", query: "NDArray[np.float32]", taken: int
) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
    """The nearest rows, with all that are exactly as near as the last of them, however often one text was said."""
    asked = taken + 1
    positions, scores = vectors.search(rows, query, asked)
    while asked < len(rows) and len(scores) == asked and scores[-1] == scores[taken - 1]:
        asked *= 4
        positions, scores = vectors.search(rows, query, asked)
    near = scores >= scores[min(taken, len(scores)) - 1] if len(scores) else slice(0)
    return positions[near], scores[near]


def _of_messages(
    segments: "Sequence[Segment]", query: "NDArray[np.float32]", places: Collection[Place]
) -> Iterator[_Scored]:
    import numpy as np

    for segment in segments:
        asked = [p for place in places if (m := segment.find(*place)) is not None for p in segment.passages_of(m)]
        if asked:
            yield from _scored(segment, *vectors.search_rows(segment.rows, np.array(asked), query, len(asked)))


def _scored(segment: "Segment", positions: "NDArray[np.int64]", scores: "NDArray[np.float32]") -> Iterator[_Scored]:
    """Each passage with all that its place in the order hangs on, so that the greatest is the best."""
    messages = segment.message[positions]
    conversations, numbers = segment.conv[messages].tolist(), segment.n[messages].tolist()
    spans = segment.start[positions].tolist(), segment.end[positions].tolist()
    for score, c, n, start, end in zip(scores.tolist(), conversations, numbers, *spans, strict=True):
        yield score, (segment.conversations[c], n), -start, end


def _best_of(scored: Iterable[_Scored]) -> dict[Place, Near]:
    best: dict[Place, _Scored] = {}
    for one in scored:
        best[one[1]] = max(one, best.get(one[1], one))
    return {place: Near(score, -start, end) for place, (score, _, start, end) in best.items()}
