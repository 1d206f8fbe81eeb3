"""The opening of a turn: the transcript it follows, the head it is sent with, and the person's message, stored.

Knows that what stands before and beside the words is decided here, once, and how a turn that is asked again is
recognised, which finds what was decided. Synchronous: it runs in a thread.
Invariant: when `open` returns, the person's words stand in the archive, once, however often the turn is asked.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.archive.heads import Heads, get_head
from paramecium.archive.images import put_image
from paramecium.archive.names import conversation_id
from paramecium.chat.beside import NOTHING, Begun, Beside, occasion_of
from paramecium.chat.events import Ask
from paramecium.chat.given import local_day, make_given
from paramecium.chat.head import make_head
from paramecium.chat.known import known_of
from paramecium.chat.transcript import Transcript, Transcripts
from paramecium.errors import BadId, ConversationMissing
from paramecium.memories.facts import matched
from paramecium.memories.profile import Told, first_recent_day, persona_of, told_of
from paramecium.messages import Entry, Json, check_id
from paramecium.settings import Settings
from paramecium.store.base import AppendOnly

if TYPE_CHECKING:
    from paramecium.archive.conversations import Archive


@dataclass(frozen=True, slots=True)
class Opening:
    """Is what a turn begins with; `path` ends with the question, `answer` is there when the turn was had before.

    `context` is that of the message, as a recall is noted with it; None when no menu was made.
    """

    conversation: str
    head: Json
    path: tuple[Entry, ...]
    answer: Entry | None = None
    context: Json | None = None

    @property
    def question(self) -> Entry:
        """Returns the person's message as it stands in the archive."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens the turns of one life."""

    archive: "Archive"
    store: AppendOnly
    life: str
    settings: Settings
    transcripts: Transcripts
    heads: Heads
    now: clock.Now
    beside: Beside = NOTHING

    def open(self, ask: Ask, tools: Sequence[Json]) -> Opening:
        """Returns the opening of a turn, its question stored.

        A turn that is asked again finds its question, and its answer if there is one. Raises ConversationMissing when
        the conversation or the parent is not there, BadInput for an image of no known format, StoreUnavailable.
        """
        moment = self.now()
        since = first_recent_day(local_day(self.settings, moment))
        # What is listed can only be opened by a tool.
        with self.beside.begun(since, ask.text if ask.memory and tools else None) as begun:
            conv, transcript = self._conversation(ask)
            asked = next((e for e in transcript.entries if _is_question_of(e, ask)), None) if transcript else None
            if transcript is None or asked is None:
                return self._new(conv, transcript, ask, _Beginning(moment, begun, tuple(tools)))
        head = get_head(self.store, self.life, asked.head or "")
        return Opening(conv, head, transcript.path(asked.id), _answer_to(asked, transcript, ask))

    def store_entry(self, conv: str, draft: Entry, at: int, *, behind: bool = True) -> Entry:
        """Returns the entry as it stands in the archive, under number `at` or behind what others wrote meanwhile.

        With `behind` it also follows what others hung on its parent, so that of two turns at once none is lost from
        the path.
        """
        stored = self.archive.append(conv, [draft], at, behind=behind)
        self.transcripts.add(conv, stored)
        return stored[0]

    def _conversation(self, ask: Ask) -> tuple[str, Transcript | None]:
        if ask.conversation is not None:
            return self._named(ask.conversation)
        # A new conversation is named after its turn, so that asking again after an accident finds it.
        try:
            transcript = self.transcripts.load(ask.turn)
        except ConversationMissing:
            return ask.turn, None
        if any(_is_question_of(e, ask) for e in transcript.entries):
            return ask.turn, transcript
        return clock.new_id(self.now()), None

    def _named(self, name: str) -> tuple[str, Transcript]:
        """A conversation by our id, or else by the one it had where it was imported from.

        Ours is tried first and alone: a turn in a talk of ours must not pay for a look-up it does not need.
        """
        for ident in (name, conversation_id(name)):
            with suppress(ConversationMissing, BadId):
                return ident, self.transcripts.load(ident)
        check_id(name)
        raise ConversationMissing(f"no conversation {name}")

    def _new(self, conv: str, transcript: Transcript | None, ask: Ask, beginning: "_Beginning") -> Opening:
        path = transcript.path(ask.parent) if transcript else ()
        placed = self._placed(_before(conv, transcript, path), ask, beginning)
        # Who names a parent wants to speak there, beside what hangs on it.
        draft = self._question(ask, path[-1].id if path else None, placed, beginning.moment)
        tail = transcript.tail if transcript else 0
        question = self.store_entry(conv, draft, tail, behind=ask.parent is None)
        if question.parent != draft.parent:
            path = self.transcripts.load(conv).path(question.id)[:-1]
        return Opening(conv, placed.head, (*path, question), context=placed.context)

    def _placed(self, before: "_Before", ask: Ask, beginning: "_Beginning") -> "_Placed":
        """What stands before and beside the words."""
        settings, (moment, begun, tools) = self.settings, beginning
        conv, path = before.conversation, before.path
        documents = begun.written()
        if not ask.memory:
            head = make_head(settings, Told(persona_of(documents, settings)), tools=tools)
            return _Placed(head, make_given(settings, moment, path))
        known, today = known_of(conv, path), local_day(settings, moment)
        facts = matched(documents.facts, ask.text, today, known.facts)
        occasion = occasion_of(ask.text, moment.astimezone(ZoneInfo(settings.timezone)), conv, path, known)
        menu, context = begun.offered(replace(occasion, aside=before.aside))
        head = make_head(settings, told_of(documents, settings, today), tools=tools)
        return _Placed(head, make_given(settings, moment, path, facts, menu), context)

    def _question(self, ask: Ask, parent: str | None, placed: "_Placed", moment: datetime) -> Entry:
        images = tuple(put_image(self.store, self.life, body) for body in ask.images)
        return Entry(
            id=clock.new_id(moment),
            n=0,
            parent=parent,
            role="user",
            speaker=self.settings.person,
            at=clock.local_iso(moment, self.settings.timezone),
            text=ask.text,
            images=images,
            head=self.heads.put(placed.head),
            given=placed.given,
            source={"client": ask.client, "turn": ask.turn},
        )


class _Before(NamedTuple):
    """Is what a question follows: the entries of its path as they are stored, and the messages beside that path."""

    conversation: str
    path: tuple[Entry, ...] = ()
    aside: frozenset[str] = frozenset()


def _before(conv: str, transcript: Transcript | None, path: Sequence[Entry]) -> _Before:
    if transcript is None:
        return _Before(conv)
    followed = {entry.id for entry in path}
    aside = frozenset(e.id for e in transcript.entries if e.is_message and e.id not in followed)
    return _Before(conv, transcript.stored(path), aside)


class _Beginning(NamedTuple):
    moment: datetime
    begun: Begun
    tools: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    head: Json
    given: Json
    context: Json | None = None


def _answer_to(asked: Entry, transcript: Transcript, ask: Ask) -> Entry | None:
    """The answer may hang further down, behind what others said meanwhile, but behind no other question of the turn."""
    questions = {e.id for e in transcript.entries if e.role == "user" and e.source.get("turn") == ask.turn}
    for entry in transcript.entries:
        if _is_answer_of(entry, ask):
            answered = [i for i in transcript.ids_to(entry.id) if i in questions]
            if answered and answered[-1] == asked.id:
                return entry
    return None


def _is_answer_of(entry: Entry, ask: Ask) -> bool:
    # One that says nothing because the model's service failed is no answer; the turn may be tried again.
    same = entry.source.get("turn") == ask.turn and entry.role == "assistant"
    return same and (bool(entry.text) or entry.status == "complete")


def _is_question_of(entry: Entry, ask: Ask) -> bool:
    same = entry.source.get("turn") == ask.turn and entry.text == ask.text
    return same and entry.role == "user" and len(entry.images) == len(ask.images)
