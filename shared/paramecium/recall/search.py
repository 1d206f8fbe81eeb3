"""Recall: from a question to windows of words, by resemblance and by words, or by the exact characters.

Knows how the ways are put together; each way itself lives in `index`. Invariant: nothing is given back that is not a
slice of a stored message, and a broken part of the index makes recall poorer, never wrong.
"""

from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Protocol

from paramecium.errors import BadInput, ParameciumError
from paramecium.index import words
from paramecium.index.fold import fold
from paramecium.messages import Json
from paramecium.recall import exact, notes, semantic
from paramecium.recall.limits import Limits
from paramecium.recall.notes import NOTES_MAX, FoundNote, MemoryViews
from paramecium.recall.ranking import Place
from paramecium.recall.view import View
from paramecium.recall.windows import Piece, Window, around

WINDOWS_DEFAULT = 5
WINDOWS_MAX = 50
WINDOWS_PER_CONVERSATION = 2
_NOTE_FIELDS = ("id", "date", "content", "quote", "conversation", "message", "n", "start", "end", "speaker", "said_at")
QUERY_CHARS_MAX = 2000


@dataclass(frozen=True, slots=True)
class Query:
    """Is what is asked: words, and which days (both ends belong to it) and conversation they may come from.

    `besides` is a conversation whose path the asker has before its eyes already, from number `besides_from` on; an
    exact query finds what was said in it off that path.
    """

    text: str
    exact: bool = False
    after: date | None = None
    before: date | None = None
    conversation: str | None = None
    n: int = WINDOWS_DEFAULT
    cursor: str | None = None
    besides: str | None = None
    besides_from: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """Is what was found in both layers; `next` is the cursor of what an exact query found more.

    `waiting` counts the blocks of the archive that no query reaches until they are ingested.
    """

    windows: tuple[Window, ...] = ()
    memories: tuple[FoundNote, ...] = ()
    next: str | None = None
    damaged: bool = False
    waiting: int = 0

    def to_json(self) -> Json:
        """Returns the form every door prints."""
        out: Json = {"memories": [_note(m) for m in self.memories], "windows": [_window(w) for w in self.windows]}
        out |= {"next": self.next} if self.next else {}
        out |= {"damaged": True} if self.damaged else {}
        return out | ({"waiting": self.waiting} if self.waiting else {})


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
    """Answers queries over one life; without `memories` there are only words."""

    views: Views
    near: semantic.Nearness
    memories: MemoryViews | None = None

    def recall(self, query: Query) -> Found:
        """Returns windows for a query; raises BadInput, ConversationMissing, StoreUnavailable."""
        query = _checked(query)
        view = self.views.view()
        if query.conversation is not None:
            ident = self.views.resolve(view, query.conversation)
            query = replace(query, conversation=ident, besides=None)
        limits = Limits(query.after, query.before, query.conversation, query.besides, query.besides_from)
        if query.exact:
            found = _exact(view, query, limits)
        else:
            found = replace(self._semantic(view, query, limits), memories=self._notes(view, query, limits))
        return replace(found, damaged=view.damaged, waiting=view.fresh.waiting)

    def _notes(self, view: View, query: Query, limits: Limits) -> tuple[FoundNote, ...]:
        """The memories; without them the words answer alone."""
        if self.memories is None:
            return ()
        try:
            found = notes.find(self.memories.view(), self.near, query.text, limits)
            places = ((m, (m.memory.note.conversation, m.memory.note.n)) for m in found)
            shown = (m for m, place in places if not _seen(view, place, limits) and not _is_aside(view, place))
            return tuple(islice(shown, NOTES_MAX))
        except ParameciumError as error:
            self.near.warn(f"the memories cannot be searched: {error}")
            return ()

    def _semantic(self, view: View, query: Query, limits: Limits) -> Found:
        """Off the path only when the conversation is named, and else few windows a conversation.

        The very question, asked before, is given once: asked each week, it would fill the whole answer with itself.
        """
        shown, asked, asked_before = _Shown(), fold(query.text), False
        named = query.conversation is not None
        terms = words.terms(query.text)
        for hit in semantic.rank(view, self.near, query.text, limits):
            conversation, n = hit.place
            if len(shown.windows) == query.n:
                break
            if not named and shown.of(conversation) >= WINDOWS_PER_CONVERSATION:
                continue
            text = view.text(hit.place)
            start, end = hit.passage or exact.first_passage(text, terms)
            if shown.has(hit.place, start, end) or not (named or view.talk(conversation).on_path(n)):
                continue
            if fold(text) == asked:
                if asked_before:
                    continue
                asked_before = True
            shown.add(_window_of(view, hit.place, start, end, hit.score))
        return Found(tuple(shown.windows))


def _exact(view: View, query: Query, limits: Limits) -> Found:
    shown = _Shown()
    for match in exact.find(view, query.text, replace(limits, besides=None), query.cursor):
        if shown.has(match.place, match.start, match.end) or _seen(view, match.place, limits):
            continue
        if len(shown.windows) == query.n:
            return Found(tuple(shown.windows), next=match.cursor)
        shown.add(_window_of(view, match.place, match.start, match.end, 1.0))
    return Found(tuple(shown.windows))


def _seen(view: View, place: Place, limits: Limits) -> bool:
    """Tells whether the asker has a message before its eyes; what lies on another branch it has not."""
    conversation, n = place
    if conversation != limits.besides or n < limits.besides_from or conversation not in view.conversations:
        return False
    return view.talk(conversation).on_path(n)


def _is_aside(view: View, place: Place) -> bool:
    """Tells whether a message is known to lie on another branch; of what is not yet met nothing is known."""
    conversation, n = place
    if conversation not in view.conversations:
        return False
    talk = view.talk(conversation)
    return n in talk.numbers and not talk.on_path(n)


class _Shown:
    """Remembers the windows of one answer, so that none is given for a hit that an earlier one shows already."""

    def __init__(self) -> None:
        self.windows: list[Window] = []
        self._spans: dict[Place, list[tuple[int, int]]] = {}

    def has(self, place: Place, start: int, end: int) -> bool:
        return any(first <= start and end <= last for first, last in self._spans.get(place, ()))

    def of(self, conversation: str) -> int:
        return sum(w.conversation == conversation for w in self.windows)

    def add(self, window: Window) -> None:
        if window.pieces:
            self.windows.append(window)
        for piece in window.pieces:
            self._spans.setdefault((window.conversation, piece.said.n), []).append((piece.start, piece.end))


def _window_of(view: View, place: Place, start: int, end: int, score: float) -> Window:
    talk = view.talk(place[0])
    path = talk.chain_of(place[1])
    pieces = around(path, path.index(place[1]), start, end, lambda n: view.said((place[0], n)))
    day = view.said(place).day
    date_ = date.fromordinal(day).isoformat() if day > 0 else ""
    return Window(place[0], view.title(talk), date_, round(score, 4), pieces, not talk.on_path(place[1]))


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


def _note(found: FoundNote) -> Json:
    note = found.memory.note
    out: Json = {name: getattr(note, name) for name in _NOTE_FIELDS}
    out |= {"score": round(found.score, 4)}
    earlier = [{"id": m.note.id, "date": m.note.date, "content": m.note.content} for m in found.earlier]
    return out | ({"earlier": earlier} if earlier else {})


def _window(window: Window) -> Json:
    out: Json = {
        "text": window.text,
        "conversation": window.conversation,
        "title": window.title,
        "date": window.date,
        "score": window.score,
        "pieces": [_piece(p) for p in window.pieces],
    }
    return out | ({"other_branch": True} if window.other_branch else {})


def _piece(piece: Piece) -> Json:
    return {"message": piece.said.id, "n": piece.said.n, "start": piece.start, "end": piece.end}
