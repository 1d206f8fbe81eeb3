"""Anthropic's Messages API, streamed (https://platform.claude.com/docs/en/api/messages).

Knows the wire: address, headers, time limits, how the service refuses; what the events mean stands in anthropic_reply.
A ping of the service counts as a sign of life, so silence is bounded by the idle limit and everything by the total one.
Invariant: the key stands in one request header and nowhere else, and what is sent is always valid UTF-8 JSON.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio

from paramecium import clock
from paramecium.errors import BadInput, UpstreamError, UpstreamTimeout, UpstreamTruncated
from paramecium.messages import dump_json, encodable, plain
from paramecium.settings import Account, Settings
from paramecium.upstream.anthropic_reply import Reply
from paramecium.upstream.base import Request, UpstreamEvent
from paramecium.upstream.credentials import host_of
from paramecium.upstream.refusals import refusal_in_body
from paramecium.upstream.sse import Decoder, Event

if TYPE_CHECKING:
    import httpx

BASE_URL: Final = "https://api.anthropic.com"
VERSION: Final = "2023-06-01"
_ERROR_BYTES_MAX: Final = 64_000
_OK: Final = 200

T = TypeVar("T")


class Anthropic:
    """Speaks with one account of an Anthropic-compatible service over one client, made on first use."""

    def __init__(
        self, account: Account, settings: Settings, *, transport: "httpx.AsyncBaseTransport | None" = None
    ) -> None:
        self._url = address(account)
        self._host = host_of(self._url)
        self._key = account.api_key
        self._settings = settings
        self._transport = transport
        self._kept: httpx.AsyncClient | None = None

    async def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the events of one call; raises UpstreamError, with the blocks that had come (see partial)."""
        import httpx

        reply = Reply(self._key.get_secret_value())
        deadline_s = clock.monotonic_s() + self._settings.turn_timeout_s
        try:
            async with aclosing(self._call(request, reply, deadline_s)) as events:
                async for event in events:
                    yield event
        except httpx.TimeoutException as error:
            raise self._silence(error, reply) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise self._broken(error, reply) from error
        except UpstreamError as error:
            error.blocks = reply.so_far()
            raise

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._kept is not None:
            await self._kept.aclose()
            self._kept = None

    async def _call(self, request: Request, reply: Reply, deadline_s: float) -> AsyncGenerator[UpstreamEvent, None]:
        response = await self._within(lambda: self._send(request), deadline_s)
        try:
            await self._accepted(response, deadline_s)
            decoder = Decoder()
            chunks = response.aiter_bytes()
            while not reply.finished:
                data = await self._within(lambda: anext(chunks, None), deadline_s)
                for event in decoder.close() if data is None else decoder.feed(data):
                    for meaning in _taken(reply, event):
                        yield meaning
                if data is None and not reply.finished:
                    raise UpstreamTruncated("the stream of the model's service ended before message_stop")
        finally:
            await response.aclose()

    async def _send(self, request: Request) -> "httpx.Response":
        client = self._client()
        headers = {**key_headers(self._key.get_secret_value()), "accept": "text/event-stream"}
        return await client.send(
            client.build_request("POST", self._url, content=body(request), headers=headers), stream=True
        )

    def _client(self) -> "httpx.AsyncClient":
        import httpx

        if self._kept is None:
            idle_s, connect_s = self._settings.upstream_idle_timeout_s, self._settings.upstream_connect_timeout_s
            limits = httpx.Timeout(idle_s, connect=connect_s)
            self._kept = httpx.AsyncClient(timeout=limits, transport=self._transport)
        return self._kept

    async def _accepted(self, response: "httpx.Response", deadline_s: float) -> None:
        is_stream = response.headers.get("content-type", "text/event-stream").startswith("text/event-stream")
        if response.status_code == _OK and is_stream:
            return
        told = bytearray()
        chunks = response.aiter_bytes()
        while len(told) < _ERROR_BYTES_MAX:
            data = await self._within(lambda: anext(chunks, None), deadline_s)
            if data is None:
                break
            told += data
        raise refusal_in_body(response.status_code, bytes(told), self._key.get_secret_value())

    async def _within(self, call: Callable[[], Awaitable[T]], deadline_s: float) -> T:
        limit_s = min(self._settings.upstream_idle_timeout_s, deadline_s - clock.monotonic_s())
        try:
            with anyio.fail_after(max(limit_s, 0)):
                return await call()
        except TimeoutError as error:
            raise UpstreamTimeout(f"the model's service at {self._host} was silent for too long") from error

    def _silence(self, error: Exception, reply: Reply) -> UpstreamTimeout:
        timeout = UpstreamTimeout(f"the model's service at {self._host} was silent for too long: {_name(error)}")
        timeout.blocks = reply.so_far()
        return timeout

    def _broken(self, error: Exception, reply: Reply) -> UpstreamError:
        blocks = reply.so_far()
        kind = UpstreamTruncated if blocks else UpstreamError
        broken = kind(f"the connection to the model's service at {self._host} failed: {_name(error)}")
        broken.blocks = blocks
        return broken


def address(account: Account) -> str:
    """Returns the address calls of an account go to; its `base_url` may end in /v1 or not."""
    base_url = (account.base_url or BASE_URL).rstrip("/").removesuffix("/v1")
    return f"{base_url}/v1/messages"


def key_headers(key: str) -> dict[str, str]:
    """Returns the headers every call carries."""
    return {"x-api-key": key, "anthropic-version": VERSION, "content-type": "application/json"}


def body(request: Request) -> bytes:
    """Returns the JSON of a call; in every string lone surrogates and NUL are U+FFFD, the structure is untouched."""
    call: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, "stream": True}
    if request.system:
        call["system"] = request.system
    if request.tools:
        call["tools"] = request.tools
    return dump_json(_clean({**call, "messages": request.messages}))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        # An image is megabytes of ASCII; it is looked through, not copied.
        return value if value.isascii() and "\0" not in value else encodable(value)
    if isinstance(value, dict):
        return {encodable(k): _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value


def _taken(reply: Reply, event: Event) -> list[UpstreamEvent]:
    if event.data == "[DONE]" or reply.finished:
        return []
    try:
        # What cannot be sent back as it came would be refused in every turn that follows.
        return reply.take(plain(json.loads(event.data)))
    except (BadInput, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise UpstreamTruncated(f"the model's service sent an event that cannot be read: {event.name}") from error


def _name(error: Exception) -> str:
    return type(error).__name__
