"""Drives an ASGI application by hand, so that a test sees every piece it sends, in order and when it was sent."""

import asyncio
from collections.abc import Sequence
from typing import Any

from starlette.types import ASGIApp, Message

from paramecium.messages import Json, dump_json, load_json
from tests.functions.gateway.fakes_house import TOKEN

BEARER = {"authorization": f"Bearer {TOKEN}"}


class Exchange:
    """Is one request and what was sent back so far."""

    def __init__(self, scope: dict[str, Any], body: Sequence[bytes]) -> None:
        self._scope = scope
        self._incoming = [(part, i + 1 < len(body)) for i, part in enumerate(body)]
        self.taken = 0
        self.gone = asyncio.Event()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.raw_headers: list[tuple[str, str]] = []
        self.chunks: list[bytes] = []
        self.ended = False
        self._grown = asyncio.Condition()

    @property
    def body(self) -> bytes:
        """Returns all that was sent."""
        return b"".join(self.chunks)

    @property
    def json(self) -> Json:
        """Returns the document that was sent."""
        value: Json = load_json(self.body)
        return value

    async def run(self, app: ASGIApp) -> "Exchange":
        """Lets the application serve the request."""
        await app(self._scope, self._receive, self._send)
        return self

    async def until(self, part: bytes) -> None:
        """Waits until `part` was sent."""
        async with self._grown:
            await self._grown.wait_for(lambda: part in self.body)

    async def _receive(self) -> Message:
        if self.taken < len(self._incoming):
            body, more = self._incoming[self.taken]
            self.taken += 1
            return {"type": "http.request", "body": body, "more_body": more}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        async with self._grown:
            if message["type"] == "http.response.start":
                assert not self.status
                self.status = message["status"]
                self.raw_headers = [(k.decode(), v.decode()) for k, v in message["headers"]]
                self.headers = dict(self.raw_headers)
            else:
                assert self.status
                assert not self.ended
                if message.get("body"):
                    self.chunks.append(message["body"])
                self.ended = not message.get("more_body", False)
            self._grown.notify_all()


def request(
    method: str,
    target: str,
    headers: dict[str, str] | None = None,
    body: bytes | Sequence[bytes] | Json | None = None,
) -> Exchange:
    """Returns an exchange about to be run; without `headers` it brings the owner's token."""
    parts = [dump_json(body)] if isinstance(body, dict) else [body or b""] if isinstance(body, bytes | None) else body
    path, _, query = target.partition("?")
    asked = {"host": "memory.test"} | (BEARER if headers is None else headers)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(k.lower().encode("latin-1"), v.encode("utf-8")) for k, v in asked.items()],
        "server": ("memory.test", 80),
        "client": ("127.0.0.1", 1),
        "state": {},
    }
    return Exchange(scope, parts)
