"""A turn lives on its own, and its listener's speed never holds it for long."""

import asyncio

import pytest

from functions.gateway import turns as turns_file
from functions.gateway.event_stream import PING, frame
from functions.gateway.turns import JOINED_EVENTS_MAX, QUEUE_EVENTS_MAX, Turns, frames
from paramecium.chat.events import Ask, ChatEvent, Done, Failed, Text
from paramecium.errors import ConversationMissing, UpstreamTimeout
from tests.functions.gateway.fakes_house import ScriptedChat, Step, answer

pytestmark = pytest.mark.anyio


def scripted(*steps: Step) -> ScriptedChat:
    """Returns a chat with one script."""
    chat = ScriptedChat()
    chat.queue.append(steps)
    return chat


async def heard(chat: ScriptedChat) -> list[ChatEvent]:
    """Returns all that a listener of a turn hears."""
    listener = Turns().start(chat, Ask("t", "你好"))
    events = [await listener.first()]
    while more := await listener.more():
        events += more
    return events


async def test_a_listener_hears_everything_in_order() -> None:
    """Far more events than the queue holds come in order, whole."""
    events = answer(*(str(i) for i in range(3 * QUEUE_EVENTS_MAX)))
    assert await heard(scripted(*events)) == events


async def test_what_is_there_comes_joined_and_bounded() -> None:
    """A reader takes at once what came together, but never more than the bound."""
    events = answer(*(str(i) for i in range(500)))
    listener = Turns().start(scripted(*events), Ask("t", "你好"))
    await listener.first()
    assert len(await listener.more()) == JOINED_EVENTS_MAX


async def test_an_error_before_the_first_event_is_raised() -> None:
    """The door gets the error itself and can answer with its status."""
    with pytest.raises(ConversationMissing):
        await heard(scripted(ConversationMissing("no conversation x")))


async def test_a_later_error_becomes_failed_and_done() -> None:
    """After the beginning the stream closes properly, with the ids it had."""
    begun = answer("你")[:2]
    events = await heard(scripted(*begun, UpstreamTimeout("silent for 120 s")))
    assert events[2:] == [
        Failed("upstream_timeout", "silent for 120 s", 504),
        Done("turn-1", "conv-1", None, "error"),
    ]


async def test_an_unexpected_error_shows_no_words_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    """Listener and log share an id; neither has the error's words."""
    events = await heard(scripted(*answer("你")[:2], ValueError("sk-secret")))
    failed = events[2]
    assert isinstance(failed, Failed)
    assert failed.kind == "internal_error"
    assert failed.message.split()[-1] in caplog.text
    assert "ValueError" in caplog.text
    assert "sk-secret" not in caplog.text + failed.message


async def test_a_turn_that_ends_without_done_is_closed_as_failed() -> None:
    """Every stream has its terminal event."""
    events = await heard(scripted(*answer("你")[:-1]))
    assert [type(e) for e in events[-2:]] == [Failed, Done]


async def test_an_error_after_done_adds_no_second_end(caplog: pytest.LogCaptureFixture) -> None:
    """There is exactly one Done, and the log knows the rest."""
    assert await heard(scripted(*answer("你"), ValueError("late"))) == answer("你")
    assert "ValueError" in caplog.text


async def test_a_turn_goes_on_when_its_listener_left() -> None:
    """Leaving frees a turn that waits for room, and it runs to its end."""
    chat = scripted(*answer(*(str(i) for i in range(3 * QUEUE_EVENTS_MAX))))
    listener = Turns().start(chat, Ask("t", "你好"))
    await listener.first()
    assert not chat.finished
    listener.leave()
    await chat.finish_seen.wait()
    assert await listener.more() == []


async def test_a_listener_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its patience the turn goes on, and the listener's stream ends without `done`."""
    monkeypatch.setattr(turns_file, "PATIENCE_S", 0.01)
    chat = scripted(*answer(*(str(i) for i in range(3 * QUEUE_EVENTS_MAX))))
    listener = Turns().start(chat, Ask("t", "你好"))
    await listener.first()
    await chat.finish_seen.wait()
    assert await listener.more() == []


async def test_patience_is_spent_once_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener that takes a little now and then cannot hold a turn beyond it."""
    monkeypatch.setattr(turns_file, "PATIENCE_S", 0.05)
    chat = scripted(*answer(*(str(i) for i in range(50 * QUEUE_EVENTS_MAX))))
    listener = Turns().start(chat, Ask("t", "你好"))
    last = await listener.first()
    while taken := await listener.more():
        last = taken[-1]
        await asyncio.wait([asyncio.create_task(chat.finish_seen.wait())], timeout=0.01)
    assert isinstance(last, Text)
    assert chat.finished


async def test_a_ping_comes_in_silence_and_between_events() -> None:
    """While a turn is silent pings go out; the event after them is whole."""
    gate = asyncio.Event()
    started, text, done = answer("你")
    listener = Turns().start(scripted(started, gate, text, done), Ask("t", "你好"))
    stream = frames(await listener.first(), listener, 0.01)
    pieces = [await anext(stream) for _ in range(3)]
    gate.set()
    rest = [piece async for piece in stream]
    assert pieces == [frame(started), PING, PING]
    assert b"".join(p for p in rest if p != PING) == frame(text) + frame(done)


async def test_shutdown_waits_for_turns_and_cancels_what_stays() -> None:
    """A turn about to end ends; one that does not is cancelled, and its listener's stream is over."""
    turns, gate = Turns(), asyncio.Event()
    chat, stuck = scripted(*answer("你")), scripted(answer("你")[0], gate)
    ending, listener = turns.start(chat, Ask("a", "你好")), turns.start(stuck, Ask("b", "你好"))
    await turns.settle(0.05)
    assert chat.finished == ["a"]
    assert isinstance(await ending.first(), type(answer("你")[0]))
    await listener.first()
    assert await listener.more() == []
    assert not stuck.finished


async def test_text_events_are_not_changed() -> None:
    """What a chat yields is what a listener gets, the very same object."""
    event = Text("\ud83d\u2028")
    assert (await heard(scripted(answer()[0], event, answer()[1])))[1] is event
