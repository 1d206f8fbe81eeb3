"""The terminal marker of the Messages dialect, missing, twice or early: a turn has one end, and keeps what it told."""

from collections.abc import Sequence

import pytest

from functions.gateway.event_stream import frame
from paramecium.chat.events import Ask
from paramecium.chat.turn import Chat
from paramecium.messages import Json
from paramecium.upstream.choose import Upstreams
from tests.chat.checks import assert_continues, assert_valid
from tests.chat.fakes_chat import LIFE, House, done, says, text_of
from tests.functions.gateway.sse_reader import read_all
from tests.upstream.fakes_wire import Wire, block, end, settings, sse, start, text
from tests.upstream.fakes_wire import finished as finished_of
from tests.upstream.fakes_wire import heard as heard_of

THOUGHT = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "想"},
    {"type": "signature_delta", "signature": "s"},
)
CALL = block(
    2,
    {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {}},
    {"type": "input_json_delta", "partial_json": '{"query"'},
    {"type": "input_json_delta", "partial_json": ': "雪"}'},
)
WITHOUT_CALL: list[Json] = [start(input_tokens=3), *THOUGHT, *text(1, "修复", "方法🍊")]
WITH_CALL = [*WITHOUT_CALL, *CALL]
DELTA, STOP = end()
ANSWER = sse(start(), *text(0, "好"), *end())


class Then(Wire):
    """Answers the first request with one body and all others with a plain answer."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self._bodies = iter([body])

    async def _body(self):  # type: ignore[no-untyped-def]  # noqa: ANN202 - as in Wire
        self.pieces = (next(self._bodies, ANSWER),)
        async for piece in super()._body():
            yield piece


def turn_of(body: bytes) -> None:
    """Runs a turn over the body and another one after it, and asserts all that holds however the body ends."""
    house, known = House(), settings()
    wire = Then(body)
    upstreams = Upstreams(known, built={"a": wire.adapter()})
    house.chat = Chat(house.archive, house.store, LIFE, known, upstreams, house.recall, house.clock)
    events = house.turn(Ask("t", "问"))
    names = [name for name, _ in read_all(b"".join(map(frame, events)))]
    assert (names.count("start"), names.count("done"), names[0], names[-1]) == (1, 1, "start", "done")
    assert names.count("error") <= 1
    entries = house.entries("t")
    assert [e.role for e in entries] == ["user", "assistant"][: len(entries)]
    stored = entries[1].text if len(entries) > 1 else ""
    assert text_of(events) == stored
    if len(entries) > 1:
        rounds = [m for m in entries[1].rounds if m["role"] == "assistant"]
        blocks = [b.get("text", "") for m in rounds for b in m["content"] if b["type"] == "text"]
        assert "".join(blocks) == stored.replace("\n\n", "")
    if done(events).status == "complete":
        assert "error" not in names
        assert b"message_stop" in body
    _goes_on(house, upstreams, done(events).conversation)


def _goes_on(house: House, upstreams: Upstreams, conv: str) -> None:
    # The same archive, now asked through the scripted model, which keeps what it is sent.
    house.chat = house.fresh()
    house.says(says("在"), says("在"))
    house.talk("u", "后来呢", conv)
    house.talk("v", "还在吗", conv)
    for request in house.upstream.requests:
        assert_valid(request)
    assert_continues(*house.upstream.requests)


def places(events: Sequence[Json]) -> range:
    """Returns every place between two events."""
    return range(len(events) + 1)


@pytest.mark.parametrize("events", [WITHOUT_CALL, WITH_CALL], ids=["words", "call"])
def test_a_marker_that_is_missing(events: list[Json]) -> None:
    """Broken off after any event, the turn ends once, as incomplete or failed."""
    for at in places(events):
        turn_of(sse(*events[:at]))
    turn_of(sse(*events, DELTA))


@pytest.mark.parametrize("events", [WITHOUT_CALL, WITH_CALL], ids=["words", "call"])
def test_a_marker_that_comes_twice(events: list[Json]) -> None:
    """What stands behind the first marker is not read, be it a marker, words or a whole second answer."""
    whole = heard_of(Wire(sse(*events, DELTA, STOP)).adapter())
    more: list[Json]
    for more in ([STOP], [DELTA, STOP], [*events, DELTA, STOP], text(7, "多出来的")):
        body = sse(*events, DELTA, STOP, *more)
        assert heard_of(Wire(body).adapter()) == whole
        turn_of(body)


@pytest.mark.parametrize("events", [WITHOUT_CALL, WITH_CALL], ids=["words", "call"])
def test_a_marker_that_comes_early(events: list[Json]) -> None:
    """With the marker between any two events, what came before it is the answer, and one goes on from there."""
    for at in places(events):
        turn_of(sse(*events[:at], STOP, *events[at:], DELTA, STOP))
        turn_of(sse(*events[:at], DELTA, STOP, *events[at:], DELTA, STOP))


def test_a_marker_without_a_reason_is_no_complete_answer() -> None:
    """Without a stop reason nobody said that the answer was over."""
    house, known = House(), settings()
    upstreams = Upstreams(known, built={"a": Wire(sse(*WITHOUT_CALL, STOP)).adapter()})
    house.chat = Chat(house.archive, house.store, LIFE, known, upstreams, None, house.clock)
    assert done(house.turn(Ask("t", "问"))).status == "incomplete"
    assert house.entries("t")[1].text == "修复方法🍊"


def test_a_reason_with_every_piece_counts_once_and_last() -> None:
    """A service that says why it ends with each piece is read to its end; the last reason stands (D1 29)."""
    words = text(0, "一", "二", "三")
    body = [start(), words[0]]
    for delta in words[1:-1]:
        body += [delta, end("end_turn")[0]]
    events, error = heard_of(Wire(sse(*body, words[-1], *end("max_tokens"))).adapter())
    assert error is None
    assert finished_of(events).blocks == ({"type": "text", "text": "一二三"},)
    assert finished_of(events).stop_reason == "max_tokens"


@pytest.mark.parametrize("index", [0, 7])
def test_blocks_under_one_index_are_all_kept(index: int) -> None:
    """A service that gives every block the same index loses none of them (D2 35, 37)."""
    calls = []
    for i in range(2):
        use = {"type": "tool_use", "id": f"t{i}", "name": "recall", "input": {}}
        calls.append(block(index, use, {"type": "input_json_delta", "partial_json": f'{{"n": {i}}}'}))
    events = [*text(index, "先说", "一句"), *calls[0], *calls[1], *text(index, "再说")]
    closing = [[], [e for e in events if e["type"] == "content_block_stop"]]
    for left_out in closing:
        stream = sse(start(), *(e for e in events if e not in left_out), *end("tool_use"))
        told, error = heard_of(Wire(stream).adapter())
        assert error is None
        blocks = finished_of(told).blocks
        assert [b.get("text") or b["input"] for b in blocks] == ["先说一句", {"n": 0}, {"n": 1}, "再说"]


def test_events_that_say_nothing_break_nothing() -> None:
    """Starts that come twice, ends of blocks nobody began, a last delta without reason: the answer is whole (D1 31)."""
    begun, *deltas, ended = text(0, "好", "的")
    odd: list[Json] = [
        {"type": "content_block_stop", "index": 9},
        {"type": "message_delta", "usage": {"output_tokens": 1}},
        {"type": "message_delta", "delta": None, "usage": None},
        {"type": "of_tomorrow"},
        begun,
    ]
    for one in odd:
        body = sse(start(), begun, one, *deltas, ended, ended, *end(output_tokens=2))
        events, error = heard_of(Wire(body).adapter())
        assert error is None
        assert finished_of(events).blocks == ({"type": "text", "text": "好的"},), one


@pytest.mark.parametrize("given", ["", "x", [1], None, 7, {"query": "雪"}])
def test_arguments_are_an_object_whatever_comes(given: object) -> None:
    """Arguments that are none are {}, since anything else would be refused ever after; an object is kept."""
    use = {"type": "tool_use", "id": "t", "name": "recall", "input": given}
    events, _ = heard_of(Wire(sse(start(), *block(0, use), *end("tool_use"))).adapter())
    assert finished_of(events).blocks[0]["input"] == (given if isinstance(given, dict) else {})
