"""Finding by the very characters: folded on both sides, verified, shown verbatim; literal matches first, newest first.

Knows the three places words can stand: the full text, segments younger than it, and what is fresh. Invariant: a match
is only what the folded text of the message holds; the full text's candidates are proved before they are given.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from paramecium.errors import BadInput
from paramecium.index.fold import fold, offsets
from paramecium.index.said import Said
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Place
from paramecium.recall.view import View
from paramecium.recall.young import Young

Moment = tuple[int, str, int]
"""Day, conversation and number: the order in which newest comes first."""

CANDIDATES_MAX = 20_000
LOOKED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Match:
    """Is one message that holds the query, at characters `start` to `end` of its text."""

    place: Place
    start: int
    end: int
    moment: Moment
    literal: bool


def find(view: View, query: str, limits: Limits, n: int, cursor: str | None) -> tuple[list[Match], str | None]:
    """Returns up to `n` matches behind `cursor`, and the cursor of the next ones or None; raises BadInput.

    Newest first; among 32 that follow one another, those that hold the query letter for letter come first.
    """
    offset = _offset(cursor)
    found = list(islice(_ordered(_matches(view, query, limits)), offset, offset + n + 1))
    return found[:n], (str(offset + n) if len(found) > n else None)


def first_passage(text: str, terms: Sequence[str]) -> tuple[int, int]:
    """Returns where the first of the terms stands in a text, or its first character when none does."""
    folded = fold(text)
    places = [(folded.find(t), len(t)) for t in terms if t in folded]
    if not places:
        return 0, min(1, len(text))
    at, size = min(places)
    where = offsets(text)
    return where[at], max(where[at + size - 1] + 1, where[at] + 1)


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or int(cursor) > CANDIDATES_MAX:
        raise BadInput(f"not a cursor: {cursor!r:.40}")
    return int(cursor)


def _ordered(matches: Iterator[Match]) -> Iterator[Match]:
    while chunk := list(islice(matches, LOOKED_AT_ONCE)):
        yield from sorted(chunk, key=lambda m: not m.literal)


def _matches(view: View, query: str, limits: Limits) -> Iterator[Match]:
    """Yields every match, newest first, wherever it stands."""
    folded = fold(query)
    sources = [_young(young, folded, limits) for young in view.young]
    if view.fulltext:
        sources.append(_covered(view, query, limits))
    for moment in heapq.merge(*sources, reverse=True):
        said = view.said((moment[1], moment[2]))
        match = _match(said, query, folded, moment)
        if match:
            yield match


def _young(young: Young, folded: str, limits: Limits) -> Iterator[Moment]:
    for document in young.scan.find(folded, CANDIDATES_MAX):
        place, day = young.places[document], young.days[document]
        if limits.allow(place[0], day):
            yield day, *place


def _covered(view: View, query: str, limits: Limits) -> Iterator[Moment]:
    """The full text's candidates with their days, which the messages themselves know."""
    if view.fulltext is None:
        return
    found = view.fulltext.candidates(query, limit=CANDIDATES_MAX, days=limits.days, conversation=limits.conversation)
    for conversation, n in found:
        day = view.day((conversation, n))
        if day is not None and limits.allow(conversation, day):
            yield day, conversation, n


def _match(said: Said, query: str, folded: str, moment: Moment) -> Match | None:
    place = (said.conversation, said.n)
    at = said.text.find(query)
    if at >= 0:
        return Match(place, at, at + len(query), moment, literal=True)
    at = fold(said.text).find(folded)
    if at < 0:
        return None
    where = offsets(said.text)
    end = max(where[at + len(folded) - 1] + 1, where[at] + 1)
    return Match(place, where[at], end, moment, literal=False)
