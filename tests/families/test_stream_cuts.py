"""Streams cut at every byte, in from a model's service and out to a client: no character and no event is lost."""

import json
from collections.abc import AsyncIterator, Sequence

import anyio
import pytest

from functions.gateway.event_stream import PING, frame
from functions.gateway.turns import Listener, frames
from paramecium.chat.events import Ask, ChatEvent, Done, Failed, Started, Text, Thinking, ToolStep
from paramecium.chat.turn import Chat
from paramecium.messages import Json
from paramecium.upstream.anthropic_reply import Reply
from paramecium.upstream.base import Finished, TextDelta, ThinkingDelta, ToolCall, UpstreamEvent
from paramecium.upstream.choose import Upstreams
from paramecium.upstream.sse import Decoder
from tests.chat.fakes_chat import LIFE, House, text_of
from tests.functions.gateway.sse_reader import SseReader
from tests.upstream.fakes_wire import Wire, block, end, settings, sse, start, text

HARD = "修北\u2028a\u2029b\u0085c\v\fd\x1c\ufeff👨‍👩‍👧𠮷é\r\n \0 data: x\n\n"
CALL = [{"type": "input_json_delta", "partial_json": p} for p in ('{"query": "去\u2028', '年的雪🍊"}')]
EVENTS: list[Json] = [
    start(input_tokens=9, cache_read_input_tokens=5),
    {"type": "ping"},
    *block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": HARD},
        {"type": "signature_delta", "signature": "sig=="},
    ),
    *text(1, HARD[:5], HARD[5:]),
    *block(2, {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {}}, *CALL),
    *end("tool_use", output_tokens=42),
]
PLAIN = sse(*EVENTS)
OVER_LINES = PLAIN.replace(b"\ndata: {", b"\nid: 7\nretry: 9\ndata: {").replace(b'"index": 1, ', b'"index":\ndata: 1, ')
VECTORS = {
    "lf": PLAIN,
    "crlf": PLAIN.replace(b"\n", b"\r\n"),
    "cr": PLAIN.replace(b"\n", b"\r"),
    "escaped": sse(*EVENTS, escape=True),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN,
    "comments": b": hello\n\n" + PLAIN.replace(b"\n\n", b"\n\n: keep-alive\n\n"),
    "empty data": PLAIN.replace(b"\n\n", b"\n\ndata: \n\ndata:\n\ndata\n\n"),
    "data alone": b"".join(b"data:" + json.dumps(e, ensure_ascii=False).encode() + b"\n\n" for e in EVENTS),
    "over lines": OVER_LINES,
    "over lines, crlf": OVER_LINES.replace(b"\n", b"\r\n"),
    "done around": b"data: [DONE]\n\n" + PLAIN + b"data: [DONE]\n\n",
}


def heard(*pieces: bytes) -> tuple[str, str, list[UpstreamEvent], bool]:
    """Returns text, thinking, what else came, and whether the end came."""
    decoder, reply, out = Decoder(), Reply(), list[UpstreamEvent]()
    for piece in (*pieces, None):
        for event in decoder.close() if piece is None else decoder.feed(piece):
            if event.data != "[DONE]" and not reply.finished:
                out += reply.take(json.loads(event.data))
    said = "".join(e.text for e in out if isinstance(e, TextDelta))
    thought = "".join(e.text for e in out if isinstance(e, ThinkingDelta))
    return said, thought, [e for e in out if not isinstance(e, TextDelta | ThinkingDelta)], reply.finished


@pytest.mark.parametrize("name", VECTORS)
def test_every_vector_says_the_same_at_every_cut(name: str) -> None:
    """Eleven ways of writing one stream, each cut in two at every byte and byte by byte, say the same (D1 1-17)."""
    body = VECTORS[name]
    said, thought, (call, finished), ended = heard(PLAIN)
    assert (said, thought, ended) == (HARD, HARD, True)
    assert isinstance(call, ToolCall)
    assert call.input == {"query": "去\u2028年的雪🍊"}
    assert isinstance(finished, Finished)
    assert [b["type"] for b in finished.blocks] == ["thinking", "text", "tool_use"]
    for cut in range(len(body) + 1):
        assert heard(body[:cut], body[cut:]) == (said, thought, [call, finished], True), cut
    assert heard(*(body[i : i + 1] for i in range(len(body)))) == (said, thought, [call, finished], True)


@pytest.mark.parametrize("name", VECTORS)
def test_every_vector_that_breaks_off_is_not_finished(name: str) -> None:
    """Ended at any byte before its marker a stream is not finished, and what it said is a beginning (D1 9)."""
    body = VECTORS[name]
    last = body.rindex(b"message_stop")
    for cut in range(0, last, 2):
        decoder, reply, told = Decoder(), Reply(), ""
        for event in (*decoder.feed(body[:cut]), *decoder.close()):
            try:
                events = reply.take(json.loads(event.data))
            except ValueError:
                continue
            told += "".join(e.text for e in events if isinstance(e, TextDelta))
        assert not reply.finished, cut
        assert HARD.startswith(told)
        assert "".join(b["text"] for b in reply.so_far() if b["type"] == "text") == told


BLOCKS: dict[str, tuple[str, str, Json]] = {
    "text": ("text", "text_delta", {"type": "text", "text": ""}),
    "thinking": ("thinking", "thinking_delta", {"type": "thinking", "thinking": "", "signature": "s"}),
    "arguments": ("partial_json", "input_json_delta", {"type": "tool_use", "id": "t", "name": "n", "input": {}}),
}


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("word", ["修", "é", "𠮷", "👨‍👩‍👧"])
def test_a_character_cut_apart_in_deltas_is_made_whole(kind: str, word: str) -> None:
    """Bytes of one character, or halves of a pair in escapes, over two deltas of any kind are one character (D1 7)."""
    field, delta, content = BLOCKS[kind]
    before, after = ('{"q": "', '"}') if kind == "arguments" else ("前", "后")

    def deltas(*pieces: str) -> list[Json]:
        return block(0, content, *({"type": delta, field: p} for p in pieces))

    halves = [word.encode("utf-16", "surrogatepass")[2:][i : i + 2].decode("utf-16", "surrogatepass") for i in (0, 2)]
    streams = (
        [sse(start(), *deltas(before + halves[0], halves[1] + after), *end(), escape=True)] if word == "𠮷" else []
    )
    raw = sse(start(), *deltas(before + "A1", "B2" + after), *end())
    body = word.encode()
    streams += [raw.replace(b"A1", body[:i]).replace(b"B2", body[i:]) for i in range(1, len(body))]
    for stream in streams:
        said, thought, rest, _ = heard(stream)
        finished = rest[-1]
        assert isinstance(finished, Finished)
        kept = finished.blocks[0]["input"]["q"] if kind == "arguments" else finished.blocks[0][field]
        assert kept == (word if kind == "arguments" else f"前{word}后")
        assert kind == "arguments" or said + thought == kept


OWN: list[ChatEvent] = [
    Started("t", "c", "m-1"),
    Thinking(HARD + "\ud83d"),
    ToolStep(HARD, HARD, "call", {HARD: [HARD, None]}),
    ToolStep("i", "recall", "result", {}, HARD),
    Text(HARD),
    Text("\ude00\x7f"),
    Failed("upstream_truncated", HARD, 502),
    Done("t", "c", None, "error", ({"input_tokens": 1, "model": HARD},), HARD, HARD),
]


def told(events: Sequence[ChatEvent]) -> bytes:
    """Returns what a client gets of these events, with a ping after each."""

    async def gather() -> bytes:
        listener = Listener()
        for event in (*events[1:], None):
            await listener.tell(event)
        stream: AsyncIterator[bytes] = frames(events[0], listener, 60)
        return b"".join([piece async for piece in stream])

    body = anyio.run(gather)
    assert body == b"".join(map(frame, events))
    return b"".join(frame(e) + PING for e in events)


def test_our_own_stream_reads_the_same_at_every_cut() -> None:
    """Every kind of event with every hard character, pings between, cut at every byte, for two readers (D1 9-21)."""
    body = told(OWN)
    whole = SseReader().feed(body)
    assert [name for name, _ in whole] == ["start", "thinking", "tool", "tool", "text", "text", "error", "done"]
    assert (whole[1][1]["text"], whole[4][1]["text"]) == (HARD + "\ud83d", HARD)
    for cut in range(len(body) + 1):
        reader = SseReader()
        assert reader.feed(body[:cut]) + reader.feed(body[cut:]) == whole, cut
        decoder = Decoder()
        events = [*decoder.feed(body[:cut]), *decoder.feed(body[cut:]), *decoder.close()]
        assert [(e.name, json.loads(e.data)) for e in events] == whole, cut
    assert len(body.decode().splitlines()) == body.count(b"\n")


def test_cut_bytes_go_through_a_turn_into_the_archive() -> None:
    """From the service's bytes over a turn to the client's bytes: told, stored and sent again are the same words."""
    body = sse(start(), *text(0, HARD[:3], HARD[3:]), *end())
    known = settings()
    for cut in range(0, len(body), 5):
        house = House()
        wire = Wire(body[:cut], body[cut:])
        house.chat = Chat(house.archive, house.store, LIFE, known, Upstreams(known, built={"a": wire.adapter()}))
        events = house.turn(Ask("t", HARD))
        heard_again = SseReader().feed(b"".join(map(frame, events)))
        assert "".join(data["text"] for name, data in heard_again if name == "text") == HARD, cut
        assert text_of(events) == HARD
        assert [e.text for e in house.entries("t")] == [HARD, HARD]
