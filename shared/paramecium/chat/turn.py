"""A turn of talk: the person's words stored, the model asked, its answer stored, the listener told.

Knows the order of things. The only crossing from waiting for a model to plain synchronous work is here and in the
rooms' own files, by anyio.to_thread.
Invariant: Started is told when the question stands in the archive, Done when the answer does; whoever stops listening
in between cancels the turn, and what was said by then is stored as incomplete.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio

from paramecium import clock
from paramecium.archive.heads import Heads
from paramecium.archive.images import get_image
from paramecium.chat.afterglow import NO_GLOW, Afterglow, Glow
from paramecium.chat.answer import Answer, Emit
from paramecium.chat.ask import checked
from paramecium.chat.beside import NOTHING, Beside
from paramecium.chat.ending import POLL_S, Ending, Interrupted
from paramecium.chat.events import Ask, ChatEvent, Done, Failed, Started, Text, failed
from paramecium.chat.opening import Opener, Opening
from paramecium.chat.pictures import Pictures
from paramecium.chat.prompt import render
from paramecium.chat.rounds import keep
from paramecium.chat.tool_loop import run_rounds
from paramecium.chat.tools import TIMEOUT_S, Recaller, Tools
from paramecium.chat.transcript import Transcripts
from paramecium.errors import AlreadyExists, Conflict, ParameciumError, UpstreamError
from paramecium.messages import Entry, Json, Status, check_id
from paramecium.recall.tool import Asking, declaration
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.upstream.base import Request
from paramecium.upstream.choose import Choice, Upstreams

if TYPE_CHECKING:
    from paramecium.archive.conversations import Archive

_log = logging.getLogger(__name__)


class Chat:
    """Runs the turns of one life; with `recall` its tool is declared, unless a question does not want it.

    `beside` is where profile and menu come from.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a house are many, and wiring names each once
        self,
        archive: "Archive",
        store: ObjectStore,
        life: str,
        settings: Settings,
        upstreams: Upstreams,
        recall: Recaller | None = None,
        now: clock.Now = clock.now,
        *,
        beside: Beside = NOTHING,
        afterglow: Afterglow | None = None,
        tool_timeout_s: float = TIMEOUT_S,
        poll_s: float = POLL_S,
    ) -> None:
        self._store = store
        self._life = life
        self._settings = settings
        self._upstreams = upstreams
        self._recall = recall
        self._now = now
        self._afterglow = afterglow
        self._declared = () if recall is None else (declaration(settings.language, settings.person),)
        self._tool_timeout_s = tool_timeout_s
        self._poll_s = poll_s
        self._pictures = Pictures(lambda image: get_image(store, life, image))
        self._opener = Opener(
            archive, store, life, settings, Transcripts(archive, life), Heads(store, life), now, beside
        )
        self._running: dict[str, Ending] = {}

    async def run(self, ask: Ask) -> AsyncGenerator[ChatEvent, None]:
        """Yields Started, the answer's pieces, Failed if it failed, and Done.

        Everything that is wrong with the question is raised before anything is stored: BadId, BadInput, TooLarge,
        ConversationMissing, NotConfigured, and Conflict while the same turn is running. Closing the iterator or
        cancelling its task ends the turn.
        """
        events: asyncio.Queue[ChatEvent | None] = asyncio.Queue()
        turn = asyncio.create_task(self._turn(ask, events.put_nowait))
        turn.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            await turn
        finally:
            if not turn.done():
                turn.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait({turn})

    async def stop(self, turn: str) -> None:
        """Ends a turn as stopped, here at once and in another process within 1.5 s; raises BadId."""
        key = keys.stop(self._life, check_id(turn))
        if turn in self._running:
            self._running[turn].stop()
        try:
            await anyio.to_thread.run_sync(self._store.create, key, b"")
        except AlreadyExists:
            return

    async def _turn(self, ask: Ask, emit: Emit) -> None:
        ask = checked(ask)
        choice = self._upstreams.choose(ask.account, ask.model)
        if ask.turn in self._running:
            raise Conflict(f"turn {ask.turn} is running; wait for its end or stop it")
        ending = self._running[ask.turn] = Ending(self._settings.turn_timeout_s)
        watch = asyncio.create_task(ending.watch(lambda: self._is_stop_asked(ask.turn), self._poll_s))
        try:
            wanted = self._declared if ask.memory and ask.tools else ()
            opening = await anyio.to_thread.run_sync(self._opener.open, ask, wanted)
            emit(Started(ask.turn, opening.conversation, opening.question.id))
            if opening.answer is not None:
                _tell_again(ask, opening.conversation, opening.answer, emit)
            else:
                await self._answer(_Turn(ask.turn, choice, opening, Answer(emit), ending, emit))
        finally:
            watch.cancel()
            del self._running[ask.turn]

    async def _answer(self, turn: "_Turn") -> None:
        try:
            status = await self._rounds(turn)
        except Interrupted:
            status = turn.ending.status
            turn.answer.break_off()
        except ParameciumError as error:
            turn.answer.break_off(error.blocks if isinstance(error, UpstreamError) else ())
            status = "incomplete" if turn.answer.text else "error"
            turn.emit(failed(error))
        except asyncio.CancelledError:
            turn.answer.break_off()
            with anyio.CancelScope(shield=True):
                await self._keep(turn, "incomplete")
            raise
        except Exception as error:  # noqa: BLE001 - what a person has read already is never thrown away
            # The words of an unknown error may be a person's.
            _log.error("a turn broke: %s", type(error).__name__)
            turn.answer.break_off()
            status = "incomplete" if turn.answer.text else "error"
            turn.emit(Failed("internal_error", "something broke inside; what was said so far is kept", 500))
        await self._close(turn, status)

    async def _rounds(self, turn: "_Turn") -> Status:
        recall = self._recall if turn.opening.head["tools"] else None
        asking = Asking(turn.id, turn.opening.question.id, turn.opening.context, turn.choice.model)
        here, language = turn.opening.conversation, self._settings.language
        tools = Tools(recall, here, language, asking, timeout_s=self._tool_timeout_s)
        upstream = self._upstreams.get(turn.choice.account)
        return await run_rounds(upstream, partial(self._request, turn), tools, turn.answer, turn.ending)

    def _request(self, turn: "_Turn", rounds: Sequence[Json]) -> Request:
        question, account = turn.opening.question, turn.choice.account.name
        head, source = question.head or "", question.source
        begun = Entry("", -1, role="assistant", rounds=tuple(rounds), head=head, account=account, source=source)
        entries = (*turn.opening.path, begun) if rounds else turn.opening.path
        said = render(turn.opening.head, head, account, entries, self._pictures)
        return Request(turn.choice.model, said.system, said.tools, said.messages, self._settings.max_tokens)

    async def _close(self, turn: "_Turn", status: Status) -> None:
        message, glow = None, await self._glow(turn, status)
        try:
            message = await self._keep(turn, status, glow)
        except ParameciumError as error:
            turn.emit(failed(error))
            status = "error"
        usage, model, account = tuple(turn.answer.usage), turn.model, turn.choice.account.name
        turn.emit(Done(turn.id, turn.opening.conversation, message, status, usage, model, account))

    async def _keep(self, turn: "_Turn", status: Status, glow: Glow = NO_GLOW) -> str | None:
        answer, question, moment = turn.answer, turn.opening.question, self._now()
        if status != "complete" and not answer.text and not answer.rounds:
            return None
        entry = Entry(
            id=clock.new_id(moment),
            n=question.n + 1,
            parent=question.id,
            role="assistant",
            speaker=self._settings.ai,
            at=clock.local_iso(moment, self._settings.timezone),
            text=answer.text,
            head=question.head,
            rounds=keep(answer.rounds, answer.parts),
            usage=tuple(answer.usage),
            model=turn.model,
            account=turn.choice.account.name,
            status=status,
            source=question.source | ({"echo": True} if turn.is_echo else {}),
            afterglow=glow.numbers,
            more=glow.more,
        )
        return (await anyio.to_thread.run_sync(self._opener.store_entry, turn.opening.conversation, entry, entry.n)).id

    async def _glow(self, turn: "_Turn", status: Status) -> Glow:
        """What follows an answer may be about it, with `memory` off, too; a parrot's is about nothing of its own."""
        if self._afterglow is None or turn.is_echo or status != "complete":
            return NO_GLOW
        try:
            return await self._afterglow.in_time(self._settings.ai, turn.answer.text)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self._keep(turn, status)
            raise

    def _is_stop_asked(self, turn: str) -> bool:
        try:
            self._store.get(keys.stop(self._life, turn))
        except ParameciumError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class _Turn:
    id: str
    choice: Choice
    opening: Opening
    answer: Answer
    ending: Ending
    emit: Emit

    @property
    def is_echo(self) -> bool:
        return self.choice.account.kind == "parrot"

    @property
    def model(self) -> str:
        return self.answer.model or self.choice.model


def _tell_again(ask: Ask, conversation: str, answer: Entry, emit: Emit) -> None:
    if answer.text:
        emit(Text(answer.text))
    status = answer.status or "complete"
    emit(Done(ask.turn, conversation, answer.id, status, answer.usage, answer.model, answer.account))
