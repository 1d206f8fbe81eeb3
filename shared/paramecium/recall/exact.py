"""Finding by the very characters: folded on both sides, verified, shown verbatim; literal matches first, newest first.

Knows the three places words can stand: the full text, segments younger than it, and what is fresh. Invariant: a match
is only what the folded text of the message holds; the full text's candidates are proved before they are given.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from paramecium.errors import BadInput
from paramecium.index.fold import fold, offsets, source_range
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Moment, Place
from paramecium.recall.view import View
from paramecium.recall.young import Young

CANDIDATES_MAX = 20_000
LOOKED_AT_ONCE = 32
FOUND_AT_FIRST = 256
GROWTH = 8
_CURSOR = re.compile(r"([0-9]{1,7})\.([0-9]{1,8})\.([0-9]{1,2})\.([a-z0-9-]{1,64})(?:\.([0-9]{1,9}))?\Z")


@dataclass(frozen=True, slots=True)
class Match:
    """Is one place of the query, characters `start` to `end` of a message's text; `cursor` is to begin with it."""

    place: Place
    start: int
    end: int
    moment: Moment
    literal: bool
    cursor: str = ""


def find(view: View, query: str, limits: Limits, cursor: str | None = None) -> Iterator[Match]:
    """Yields every match, from the one of `cursor` on; raises BadInput for what is no cursor.

    Newest message first; among 32 that follow one another, those that hold the query letter for letter come first.
    Within a message from its beginning to its end. What arrives meanwhile is newer than the cursor, so that going on
    with it shows every match once.
    """
    newest, passed, begin = _read_cursor(cursor)
    limits = replace(limits, dead=view.dead)
    folded = fold(query)
    matches = _matches(view, query, limits, newest)
    while chunk := list(islice(matches, LOOKED_AT_ONCE)):
        day, conversation, n = chunk[0].moment
        for at, m in enumerate(sorted(chunk, key=lambda m: not m.literal)):
            if at >= passed:
                yield from _places(view.text(m.place), folded, m, f"{day}.{n}.{at}.{conversation}", begin)
                begin = 0
        passed = 0


def first_passage(text: str, terms: Sequence[str]) -> tuple[int, int]:
    """Returns where the first of the terms stands in a text, or its first character when none does."""
    folded = fold(text)
    places = [(folded.find(t), len(t)) for t in terms if t in folded]
    if not places:
        return 0, min(1, len(text))
    return source_range(offsets(text), *min(places))


def _read_cursor(cursor: str | None) -> tuple[Moment | None, int, int]:
    """Returns the newest message, how many matches behind it are passed over, and where in the next one to begin."""
    if cursor is None:
        return None, 0, 0
    read = _CURSOR.match(cursor)
    if read is None:
        raise BadInput(f"not a cursor: {cursor!r:.40}")
    day, n, passed, conversation, begin = read.groups()
    return (int(day), conversation, int(n)), int(passed), int(begin or 0)


def _matches(view: View, query: str, limits: Limits, newest: Moment | None) -> Iterator[Match]:
    """Yields every match from `newest` on, wherever it stands, newest first."""
    folded = fold(query)
    sources = [_young(young, folded, limits, newest) for young in view.young]
    sources.append(_covered(view, query, limits, newest))
    for moment in heapq.merge(*sources, reverse=True):
        match = _match(view.text((moment[1], moment[2])), query, folded, moment)
        if match:
            yield match


def _young(young: Young, folded: str, limits: Limits, newest: Moment | None) -> Iterator[Moment]:
    for document in _documents(young, folded):
        moment = young.days[document], *young.places[document]
        if limits.allow(moment[1:], moment[0]) and (newest is None or moment <= newest):
            yield moment


def _documents(young: Young, folded: str) -> Iterator[int]:
    """The documents that hold the query, newest first; a few to begin with, since few are asked for in most cases."""
    given, limit = 0, FOUND_AT_FIRST
    while given < limit:
        found = young.scan.find(folded, limit)
        yield from found[given:]
        given, limit = len(found), limit * GROWTH if len(found) == limit else 0


def _covered(view: View, query: str, limits: Limits, newest: Moment | None) -> Iterator[Moment]:
    """The full text's candidates with their days; a message in a damaged segment cannot be shown and is none."""
    if view.fulltext is None:
        return
    before = None if newest is None else (newest[0], newest[1], newest[2] + 1)
    found = view.fulltext.candidates(
        query, limit=CANDIDATES_MAX, newest_before=before, days=limits.days, conversation=limits.conversation
    )
    for conversation, n in found:
        day = view.day((conversation, n))
        if day is not None and limits.allow((conversation, n), day):
            yield day, conversation, n


def _places(text: str, folded: str, match: Match, cursor: str, begin: int) -> Iterator[Match]:
    """Yields a message's places from folded character `begin` on, one at a time: mostly the first is enough."""
    folded_text, source = fold(text), offsets(text)
    at = folded_text.find(folded, begin)
    while at >= 0:
        start, end = source_range(source, at, len(folded))
        yield replace(match, start=start, end=end, cursor=f"{cursor}.{at}" if at else cursor)
        at = folded_text.find(folded, at + len(folded))


def _match(text: str, query: str, folded: str, moment: Moment) -> Match | None:
    place = moment[1:]
    at = text.find(query)
    if at >= 0:
        return Match(place, at, at + len(query), moment, literal=True)
    at = fold(text).find(folded)
    if at < 0:
        return None
    return Match(place, *source_range(offsets(text), at, len(folded)), moment, literal=False)
