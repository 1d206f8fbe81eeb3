"""The Messages adapter over a real socket: bytes cut inside a character, a connection that is cut, nobody there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from paramecium.errors import UpstreamError, UpstreamTruncated
from paramecium.upstream.anthropic import Anthropic
from paramecium.upstream.base import TextDelta
from tests.upstream.fakes_wire import KEY, end, request, settings, sse, start, text

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """Returns one chunk of a chunked body."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@asynccontextmanager
async def serving(first: bytes, then: bytes, heard: asyncio.Event) -> AsyncIterator[int]:
    """Serves one answer in two parts, the second only when the first was heard, and yields the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + first)
        await writer.drain()
        await heard.wait()
        writer.write(then)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


def adapter(port: int) -> Anthropic:
    """Returns an adapter for a service on this machine."""
    account = {"name": "a", "kind": "anthropic", "api_key": KEY, "models": ["m"]}
    known = settings(accounts=[{**account, "base_url": f"http://127.0.0.1:{port}"}])
    return Anthropic(known.accounts[0], known)


async def listen(first: bytes, then: bytes) -> tuple[list[str], UpstreamError | None]:
    """Returns the pieces of text heard, and the error at the end."""
    pieces: list[str] = []
    heard = asyncio.Event()
    async with serving(first, then, heard) as port:
        speaker = adapter(port)
        try:
            async for event in speaker.stream(request()):
                if isinstance(event, TextDelta):
                    pieces.append(event.text)
                    heard.set()
        except UpstreamError as error:
            return pieces, error
        finally:
            await speaker.aclose()
    return pieces, None


def test_text_is_heard_before_the_rest_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    """A piece is given out as soon as its event is whole, though the next one is cut inside a character.

    Even the most talkative log of the libraries below does not hold the key.
    """
    caplog.set_level(1)
    stream = sse(start(), *text(0, "修复", "方法"), *end())
    cut = stream.index("方".encode()) + 1
    assert anyio.run(listen, chunk(stream[:cut]), chunk(stream[cut:]) + LAST) == (["修复", "方法"], None)
    assert "POST" in caplog.text
    assert KEY not in caplog.text


def test_a_connection_cut_in_the_middle_is_truncated() -> None:
    """A service that hangs up after some words leaves a truncated stream."""
    pieces, error = anyio.run(listen, chunk(sse(start(), *text(0, "修复"))), b"")
    assert pieces == ["修复"]
    assert isinstance(error, UpstreamTruncated)


def test_nobody_there_is_an_upstream_error() -> None:
    """A port nobody listens on is told as an error that names the host and not the key."""

    async def call() -> str:
        async with serving(b"", b"", asyncio.Event()) as port:
            pass
        try:
            async for _ in adapter(port).stream(request()):
                pass
        except UpstreamError as error:
            return str(error)
        return ""

    assert "127.0.0.1" in anyio.run(call)
