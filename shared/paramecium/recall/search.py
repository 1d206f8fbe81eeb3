"""Recall: from a question to windows of words, by resemblance and by words, or by the exact characters.

Knows how the ways are put together; each way itself lives in `index`. Invariant: nothing is given back that is not a
slice of a stored message, and a broken part of the index makes recall poorer, never wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from paramecium.errors import BadInput
from paramecium.index.words import terms
from paramecium.messages import Json
from paramecium.recall import exact, semantic
from paramecium.recall.limits import Limits
from paramecium.recall.ranking import Hit, Place
from paramecium.recall.view import View
from paramecium.recall.windows import Piece, Window, around

WINDOWS_DEFAULT = 5
WINDOWS_MAX = 50
WINDOWS_PER_CONVERSATION = 2
QUERY_CHARS_MAX = 2000


@dataclass(frozen=True, slots=True)
class Query:
    """Is what is asked: words, and which days (both ends belong to it) and conversation they may come from.

    `besides` is a conversation whose words the asker has before its eyes already.
    """

    text: str
    exact: bool = False
    after: date | None = None
    before: date | None = None
    conversation: str | None = None
    n: int = WINDOWS_DEFAULT
    cursor: str | None = None
    besides: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Is what was found; `next` is the cursor of what an exact query found more."""

    windows: tuple[Window, ...] = ()
    next: str | None = None
    damaged: bool = False

    def to_json(self) -> Json:
        """Returns the form every door prints."""
        out: Json = {"memories": [], "windows": [_window(w) for w in self.windows]}
        return out | ({"next": self.next} if self.next else {})


class Views(Protocol):
    """Gives the view of this moment."""

    def view(self) -> View:
        """Returns what can be found now."""
        ...

    def resolve(self, view: View, conversation: str) -> str:
        """Returns our id for ours or the original one; raises ConversationMissing, Ambiguous."""
        ...


@dataclass(frozen=True, slots=True)
class Finder:
    """Answers queries over one life."""

    views: Views
    near: semantic.Nearness
    warn: Callable[[str], None] = field(default=lambda _: None)

    def recall(self, query: Query) -> Found:
        """Returns windows for a query; raises BadInput, ConversationMissing, StoreUnavailable."""
        query = _checked(query)
        view = self.views.view()
        if query.conversation is not None:
            ident = self.views.resolve(view, query.conversation)
            query = replace(query, conversation=ident, besides=None)
        limits = Limits(query.after, query.before, query.conversation, query.besides)
        if query.exact:
            matches, cursor = exact.find(view, query.text, limits, query.n, query.cursor)
            windows = [self._window(view, m.place, m.start, m.end, 1.0) for m in matches]
            return Found(tuple(_distinct(windows, query.n)), cursor, view.damaged)
        hits = semantic.rank(view, self.near, query.text, limits)
        return Found(tuple(_distinct(self._semantic(view, query, hits), query.n)), None, view.damaged)

    def _semantic(self, view: View, query: Query, hits: list[Hit]) -> Iterator[Window]:
        """Yields windows of hits, lazily: off the path only when the conversation is named, few a conversation."""
        given: dict[str, int] = {}
        for hit in hits:
            conversation, n = hit.place
            named = query.conversation is not None
            if not named and given.get(conversation, 0) >= WINDOWS_PER_CONVERSATION:
                continue
            if not named and not view.talk(conversation).on_path(n):
                continue
            start, end = hit.passage or exact.first_passage(view.said(hit.place).text, terms(query.text))
            yield (window := self._window(view, hit.place, start, end, hit.score))
            given[conversation] = given.get(conversation, 0) + bool(window.pieces)

    def _window(self, view: View, place: Place, start: int, end: int, score: float) -> Window:
        talk = view.talk(place[0])
        path = talk.chain_of(place[1])
        pieces = around(path, path.index(place[1]), start, end, lambda n: view.said((place[0], n)))
        day = view.said(place).at[:10]
        return Window(place[0], talk.title, day, round(score, 4), pieces, not talk.on_path(place[1]))


def _checked(query: Query) -> Query:
    if not query.text or query.text.isspace():
        raise BadInput("the query is empty; say what to look for")
    if len(query.text) > QUERY_CHARS_MAX:
        raise BadInput(f"the query is longer than {QUERY_CHARS_MAX} characters")
    if not 1 <= query.n <= WINDOWS_MAX:
        raise BadInput(f"n is {query.n}, and must be from 1 to {WINDOWS_MAX}")
    if query.after and query.before and query.after > query.before:
        raise BadInput(f"no day is after {query.after} and before {query.before}")
    return query


def _distinct(windows: Iterator[Window] | list[Window], n: int) -> Iterator[Window]:
    """Yields at most `n` windows, leaving out one whose hit an earlier one already shows."""
    shown: set[tuple[str, int, int]] = set()
    count = 0
    for window in windows:
        spans = {(window.conversation, p.said.n, p.start) for p in window.pieces}
        if count < n and not spans <= shown:
            shown |= spans
            count += 1
            yield window


def _window(window: Window) -> Json:
    return {
        "text": window.text,
        "conversation": window.conversation,
        "title": window.title,
        "date": window.date,
        "score": window.score,
        "pieces": [_piece(p) for p in window.pieces],
    }


def _piece(piece: Piece) -> Json:
    return {"message": piece.said.id, "n": piece.said.n, "start": piece.start, "end": piece.end}
