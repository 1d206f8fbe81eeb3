"""Whole turns with real adapters: the parrot, and Anthropic's bytes; and what loading a turn does not load."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import anyio

from paramecium.chat.events import Ask, Text, ToolStep
from paramecium.chat.turn import Chat
from paramecium.upstream.base import Request, TextDelta, UpstreamEvent
from paramecium.upstream.choose import Upstreams
from paramecium.upstream.parrot import Parrot
from tests.chat.checks import assert_continues, assert_valid
from tests.chat.fakes_chat import LIFE, FakeRecall, Found, House, Piece, done, says, text_of
from tests.fakes import ScriptedUpstream
from tests.upstream.fakes_wire import Wire, block, end, settings, sse, start, text
from tests.upstream.test_anthropic_loopback import HEAD, chunk
from tests.upstream.test_anthropic_loopback import adapter as loopback

WORDS = "“外婆的枇杷🍊”\u2028黄了👨‍👩‍👧\r\n"


class Listening(ScriptedUpstream):
    """Passes requests on to a parrot and keeps them."""

    def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields what the parrot says."""
        self.requests.append(request)
        return Parrot("zh").stream(request)


def test_the_parrot_looks_up_and_repeats_word_for_word() -> None:
    """A whole turn without a model: the question's words are looked up, what was found is said, and kept."""
    recall = FakeRecall(Found((Piece(WORDS),)), Found((Piece("没有。"),)))
    house = House(recall=recall, upstream=Listening())
    events = house.turn(Ask("t", "枇杷黄了吗？\n"))
    assert recall.asked == [({"query": "枇杷黄了吗？\n"}, "t")]
    assert text_of(events).endswith("：\n" + WORDS)
    assert house.entries("t")[1].text == text_of(events)
    house.talk("u", "后来呢", "t")
    for request in house.upstream.requests:
        assert_valid(request)
    assert_continues(house.upstream.requests[1], house.upstream.requests[2])
    assert [q["query"] for q, _ in recall.asked] == ["枇杷黄了吗？\n", "后来呢"]


def test_anthropics_bytes_become_a_stored_answer() -> None:
    """Thinking, a call and its arguments, cut inside characters, go through the turn into the archive."""
    house = House()
    known = settings()
    use = {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {}}
    stream = sse(
        start(input_tokens=7),
        *block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "s"}),
        *block(1, use, {"type": "input_json_delta", "partial_json": '{"query": "雪"}'}),
        *end("tool_use", output_tokens=3),
    )
    cut = stream.index("雪".encode()) + 1
    wire = Wire(stream[:cut], stream[cut:])
    adapter = wire.adapter()
    upstreams = Upstreams(known, built={"a": adapter})
    house.chat = Chat(house.archive, house.store, LIFE, known, upstreams, house.recall, house.clock)
    # The service calls the same for ever: the turn ends at its last round, and every call is answered.
    events = house.turn(Ask("t", "问"))
    assert (done(events).status, len(wire.requests)) == ("incomplete", 10)
    answer = house.entries("t")[1]
    assert answer.rounds[0]["content"][0] == {"type": "thinking", "thinking": "", "signature": "s"}
    assert answer.rounds[1]["content"][0]["content"] == "找到：雪"
    assert answer.usage[0] == {"input_tokens": 7, "output_tokens": 3, "model": "claude-x-2", "stop_reason": "tool_use"}
    assert next(e.content for e in events if isinstance(e, ToolStep) and e.state == "result") == "找到：雪"


def test_a_text_is_told_piece_by_piece() -> None:
    """Pieces reach the listener as the service cut them."""
    wire = Wire(sse(start(), *text(0, "修复", "方法"), *end()))
    known = settings()
    house = House()
    house.chat = Chat(house.archive, house.store, LIFE, known, Upstreams(known, built={"a": wire.adapter()}))
    events = house.turn(Ask("t", "问"))
    assert [type(e).__name__ for e in events] == ["Started", "Text", "Text", "Done"]
    assert [e.text for e in says("修复方法")[:2] if isinstance(e, TextDelta)] == ["修复", "方法"]


def test_loading_a_turn_loads_no_heavy_library() -> None:
    """httpx, boto3, onnxruntime and usearch wait for their first use."""
    heavy = "{'httpx', 'boto3', 'onnxruntime', 'usearch', 'tokenizers'}"
    code = f"import sys, paramecium.chat.turn; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=None)
    assert ran.stdout == "[]\n"


def test_stopping_closes_the_real_connection() -> None:
    """A stop in mid-stream ends the call of the service over its socket, and what was said stands."""
    house = House()
    closed = asyncio.Event()

    async def service(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + chunk(sse(start(), *text(0, "半句"))))
        await writer.drain()
        while await reader.read(1000):
            pass
        closed.set()
        writer.close()

    async def stop_in_the_middle() -> None:
        server = await asyncio.start_server(service, "127.0.0.1", 0)
        adapter = loopback(server.sockets[0].getsockname()[1])
        known = settings()
        upstreams = Upstreams(known, built={"a": adapter})
        house.chat = Chat(house.archive, house.store, LIFE, known, upstreams, None, house.clock)
        async for event in house.chat.run(Ask("t", "问")):
            if isinstance(event, Text):
                await house.chat.stop("t")
        await closed.wait()
        await adapter.aclose()
        server.close()
        await server.wait_closed()

    anyio.run(stop_in_the_middle)
    assert [(e.text, e.status) for e in house.entries("t")] == [("问", None), ("半句", "stopped")]
