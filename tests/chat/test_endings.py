"""A turn that ends before its model has finished: failed, stopped, out of time, or left by its listener."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from paramecium.chat.events import Ask, ChatEvent, Failed, Started, Text
from paramecium.errors import Conflict, UpstreamError, UpstreamOverloaded, UpstreamTimeout, UpstreamTruncated
from paramecium.store import keys
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Request, TextDelta, UpstreamEvent
from tests.chat.fakes_chat import LIFE, House, calls, done, says, settings, started, text_of
from tests.fakes import ScriptedUpstream

HALF = says("说到一半")[:1]


class Endless(ScriptedUpstream):
    """Says its script and then waits for ever."""

    def __init__(self, *scripts: Any) -> None:
        super().__init__(*scripts)
        self.closed = 0

    async def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the next script and waits."""
        try:
            async for event in super().stream(request):
                yield event
            await asyncio.Event().wait()
        finally:
            self.closed += 1


@pytest.mark.parametrize(
    "error", [UpstreamOverloaded("忙"), UpstreamTruncated("断了"), UpstreamTimeout("没声"), UpstreamError("没人")]
)
def test_what_was_said_before_a_failure_is_stored_as_incomplete(error: UpstreamError) -> None:
    """The listener is told what failed, then the end; the words that were streamed stand in the archive."""
    house = House()
    house.says(calls("雪", text="找找"), [*HALF, error])
    events = house.turn(Ask("t", "问"))
    assert Failed(error.kind, str(error), error.status) == events[-2]
    answer = house.entries("t")[1]
    assert (done(events).status, done(events).message) == ("incomplete", answer.id)
    assert (answer.status, answer.text) == ("incomplete", "找找\n\n说到")
    assert text_of(events) == answer.text


def test_what_was_said_before_anything_breaks_is_stored(caplog: pytest.LogCaptureFixture) -> None:
    """An error nobody foresaw costs no word that was read; the log names its class and none of its words."""
    house = House()
    house.says([*HALF, RuntimeError("私密的话")])
    events = house.turn(Ask("t", "问"))
    failed = events[-2]
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.status, "私密" in failed.message) == ("internal_error", 500, False)
    answer = house.entries("t")[1]
    assert (answer.status, answer.text, done(events).message) == ("incomplete", "说到", answer.id)
    assert "RuntimeError" in caplog.text
    assert "私密" not in caplog.text


def test_blocks_an_error_carries_are_stored_verbatim() -> None:
    """Closed blocks that came with the error, a signed thought among them, are kept as they came."""
    house = House()
    error = UpstreamTruncated("断了")
    blocks = (
        {"type": "thinking", "thinking": "想", "signature": "s"},
        {"type": "text", "text": "说到", "citations": []},
    )
    error.blocks = blocks
    house.says([*HALF, error])
    house.turn(Ask("t", "问"))
    assert house.entries("t")[1].rounds == ({"role": "assistant", "content": list(blocks)},)


def test_a_failure_before_any_word_stores_no_answer_and_may_be_tried_again() -> None:
    """Nothing came, nothing is stored; asking the same turn again answers the stored question, once."""
    house = House()
    house.says([UpstreamOverloaded("忙")], says("好"))
    events = house.turn(Ask("t", "问"))
    assert (done(events).status, done(events).message) == ("error", None)
    assert [e.text for e in house.entries("t")] == ["问"]
    again = house.turn(Ask("t", "问"))
    assert started(again) == started(events)
    assert [e.text for e in house.entries("t")] == ["问", "好"]


def test_a_failure_after_a_look_up_keeps_what_was_paid_for_and_may_be_tried_again() -> None:
    """With rounds but no word the answer is stored as an error; asking again gives a sibling that answers."""
    house = House()
    house.says(calls("雪"), [UpstreamOverloaded("忙")], says("好"))
    failed = done(house.turn(Ask("t", "问")))
    assert (failed.status, failed.message) == ("error", house.entries("t")[1].id)
    assert done(house.turn(Ask("t", "问"))).status == "complete"
    question, first, second = house.entries("t")
    assert (first.text, len(first.rounds), second.text) == ("", 2, "好")
    assert first.parent == second.parent == question.id


def test_stop_in_this_process_ends_the_turn_at_once() -> None:
    """What was said so far is stored as stopped, the upstream is closed, and stopping twice is no error."""
    upstream = Endless(HALF)
    house = House(upstream=upstream)

    async def stop_after_text() -> list[ChatEvent]:
        events = []
        async for event in house.chat.run(Ask("t", "问")):
            events += [event]
            if isinstance(event, Text):
                await house.chat.stop("t")
                await house.chat.stop("t")
        return events

    events = anyio.run(stop_after_text)
    answer = house.entries("t")[1]
    assert (answer.status, answer.text, done(events).message) == ("stopped", "说到", answer.id)
    assert done(events).status == "stopped"
    assert upstream.closed == 1
    assert house.store.get(keys.stop(LIFE, "t")).body == b""


def test_stop_in_another_process_is_seen_in_the_store() -> None:
    """A stop written elsewhere ends the turn at the next look."""
    store = RamStore()
    house = House(store, upstream=Endless([*HALF, lambda: store.create(keys.stop(LIFE, "t"), b"")]), poll_s=0.02)
    assert done(house.turn(Ask("t", "问"))).status == "stopped"
    assert house.entries("t")[1].text == "说到"


def test_a_turn_stopped_before_a_word_stores_no_answer() -> None:
    """Nothing said is nothing stored, and the next turn is valid."""
    store = RamStore()
    house = House(store, upstream=Endless([lambda: store.create(keys.stop(LIFE, "t"), b"")]), poll_s=0.02)
    assert (done(house.turn(Ask("t", "问"))).message, len(house.entries("t"))) == (None, 1)


def test_a_turn_whose_time_is_up_ends_properly() -> None:
    """At its deadline a turn ends as incomplete, with what was said stored."""
    house = House(upstream=Endless(HALF), settings=settings(turn_timeout_s=1.0))
    end = done(house.turn(Ask("t", "问")))
    assert (end.status, house.entries("t")[1].status) == ("incomplete", "incomplete")


@pytest.mark.parametrize("way", ["aclose", "cancel", "scope"])
def test_a_listener_that_leaves_loses_nothing(way: str) -> None:
    """Closing the iterator, or cancelling its task or scope, stores what was said before it returns (D8 117)."""
    upstream = Endless(HALF)
    house = House(upstream=upstream)
    heard = asyncio.Event()

    async def listen() -> None:
        async with aclosing(house.chat.run(Ask("t", "问"))) as events:
            async for event in events:
                if isinstance(event, Text):
                    heard.set()
                    if way == "aclose":
                        return

    async def leave() -> None:
        if way == "scope":
            async with anyio.create_task_group() as group:
                group.start_soon(listen)
                await heard.wait()
                group.cancel_scope.cancel()
            return
        task = asyncio.create_task(listen())
        await heard.wait()
        if way == "cancel":
            task.cancel()
        await asyncio.wait({task})

    anyio.run(leave)
    assert [(e.text, e.status) for e in house.entries("t")] == [("问", None), ("说到", "incomplete")]
    assert upstream.closed == 1


def test_the_same_turn_twice_at_once_is_refused() -> None:
    """A double click does not ask twice; afterwards the turn is told again without asking the model (D7 107)."""
    house = House()
    house.says(says("好"))

    async def twice() -> list[ChatEvent]:
        events = []
        async for event in house.chat.run(Ask("t", "问")):
            events += [event]
            if isinstance(event, Started):
                with pytest.raises(Conflict, match="running"):
                    await house.listen(Ask("t", "问"))
        return events

    events = anyio.run(twice)
    again = house.turn(Ask("t", "问"))
    assert (text_of(again), done(again)) == ("好", done(events))
    assert len(house.entries("t")) == 2


def test_a_turn_name_that_was_used_for_other_words_is_another_turn() -> None:
    """Words are never dropped because a client names all its turns alike."""
    house = House()
    house.says(says("甲"), says("乙"), says("丙"))
    first = house.talk("1", "一")
    second = house.talk("1", "二")
    assert first.conversation != second.conversation
    house.talk("1", "三", first.conversation)
    assert [e.text for e in house.entries(first.conversation)] == ["一", "甲", "三", "丙"]


def test_a_store_that_fails_at_the_answer_is_told() -> None:
    """When the answer cannot be stored the listener is told so, and that there is no stored answer."""
    house = House()
    full = UpstreamError("the store is full")

    def refuse(*_: object, **__: object) -> None:
        raise full

    house.says([*says("好")[:1], lambda: setattr(house.archive, "append", refuse), TextDelta("!"), *says("")])
    events = house.turn(Ask("t", "问"))
    assert events[-2] == Failed(full.kind, str(full), full.status)
    assert (done(events).message, done(events).status) == (None, "error")
