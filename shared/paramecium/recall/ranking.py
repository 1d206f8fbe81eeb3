"""How hits of vectors and hits of words become one order (pure).

Scores of both kinds are put on one scale, each divided by the best of its kind, and added: a text found by both ways
comes before one found by either. A text that only resembles must come over the floor; one whose words match need not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Place = tuple[str, int]
"""Conversation and number of a message."""

Moment = tuple[int, str, int]
"""Day, conversation and number of a message: the order in which the newest comes first."""

WORDS_WEIGHT = 0.5
VECTORS_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Hit:
    """Is one message that was found: its passage that resembles most, or None when only words found it."""

    place: Place
    score: float
    passage: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """Is the passage of a message that resembles the query most, with its centred cosine."""

    cosine: float
    start: int
    end: int


def fuse(vectors: Mapping[Place, Near], words: Mapping[Place, float], floor: float) -> list[Hit]:
    """Returns the messages in order, best first; ties go to the later place, so the order is always the same.

    `words` maps to BM25. `floor` is the least cosine of a message that has no word of the query.
    """
    best_cosine = max((v.cosine for v in vectors.values()), default=0.0)
    best_words = max(words.values(), default=0.0)
    hits = []
    for place in vectors.keys() | words.keys():
        near, bm25 = vectors.get(place), words.get(place, 0.0)
        if bm25 <= 0 and (near is None or near.cosine < floor):
            continue
        score = WORDS_WEIGHT * (bm25 / best_words if best_words > 0 else 0.0)
        if near is not None and best_cosine > 0:
            score += VECTORS_WEIGHT * max(near.cosine, 0.0) / best_cosine
        hits.append(Hit(place, score, (near.start, near.end) if near else None))
    return sorted(hits, key=lambda h: (h.score, h.place), reverse=True)
