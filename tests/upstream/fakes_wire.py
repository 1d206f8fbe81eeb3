"""A model's service as a function: recorded stream events as bytes, given out in pieces."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import anyio
import httpx

from paramecium.errors import UpstreamError
from paramecium.messages import Json
from paramecium.settings import Settings, settings_from
from paramecium.upstream.anthropic import Anthropic
from paramecium.upstream.base import Finished, Request, TextDelta, UpstreamEvent

KEY = "sk-ant-very-secret-0123456789"
HEADERS = {"content-type": "text/event-stream; charset=utf-8"}
Piece = bytes | Exception | Callable[[], Any]


def settings(**more: Any) -> Settings:
    """Returns settings with one Anthropic account."""
    account = {"name": "a", "kind": "anthropic", "api_key": KEY, "models": ["claude-x"]}
    return settings_from({"accounts": [account], **more}, "test")


def sse(*events: Json, escape: bool = False) -> bytes:
    """Returns stream events as the service sends them."""
    out = b""
    for event in events:
        # Half a character has no bytes of its own: a service can only send it escaped.
        data = json.dumps(event, ensure_ascii=escape).encode("utf-8", "backslashreplace")
        out += b"event: " + event["type"].encode() + b"\ndata: " + data + b"\n\n"
    return out


def start(**usage: int) -> Json:
    """Returns message_start."""
    message = {"id": "msg_1", "role": "assistant", "model": "claude-x-2", "content": [], "usage": usage}
    return {"type": "message_start", "message": message}


def block(index: int, content: Json, *deltas: Json) -> list[Json]:
    """Returns the events of one content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": d} for d in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[Json]:
    """Returns the events of a text block."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))


def end(reason: str = "end_turn", **usage: int) -> list[Json]:
    """Returns the last events of a stream."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]


class Wire:
    """Answers every request with the same pieces and remembers the requests."""

    def __init__(self, *pieces: Piece, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.pieces = pieces
        self.status = status
        self.headers = HEADERS if headers is None else headers
        self.requests: list[httpx.Request] = []
        self.closed = 0

    def adapter(self, **more: Any) -> Anthropic:
        """Returns an adapter that speaks with this service."""
        known = settings(**more)
        return Anthropic(known.accounts[0], known, transport=httpx.MockTransport(self._answer))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        if self.pieces and isinstance(self.pieces[0], httpx.ConnectError | httpx.ConnectTimeout):
            raise self.pieces[0]
        return httpx.Response(self.status, headers=self.headers, content=self._body())

    async def _body(self) -> AsyncIterator[bytes]:
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                if callable(piece):
                    await piece()
                else:
                    yield piece
        finally:
            self.closed += 1


def request(*messages: Json, system: Sequence[Json] = (), tools: Sequence[Json] = ()) -> Request:
    """Returns a request; without messages it says hello."""
    hello: Json = {"role": "user", "content": [{"type": "text", "text": "你好"}]}
    return Request("claude-x", tuple(system), tuple(tools), messages or (hello,), 100)


def heard(adapter: Anthropic, asked: Request | None = None) -> tuple[list[UpstreamEvent], UpstreamError | None]:
    """Returns the events of one call and the error that ended it, if one did."""

    async def listen() -> tuple[list[UpstreamEvent], UpstreamError | None]:
        events: list[UpstreamEvent] = []
        try:
            async for event in adapter.stream(asked or request()):
                events += [event]
        except UpstreamError as error:
            return events, error
        finally:
            await adapter.aclose()
        return events, None

    return anyio.run(listen)


def said(events: Sequence[UpstreamEvent]) -> str:
    """Returns the text of the events."""
    return "".join(e.text for e in events if isinstance(e, TextDelta))


def finished(events: Sequence[UpstreamEvent]) -> Finished:
    """Returns the last event, which is the end."""
    last = events[-1]
    assert isinstance(last, Finished)
    return last
