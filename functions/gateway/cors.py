"""Which pages of other origins may talk to the door, and the headers every answer carries.

Knows header names only; decides nothing about tokens. Invariant: a page of any origin may bring a token of its own,
but no browser is ever told that it may send the cookie along (there is no Allow-Credentials).
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_ASKED_BY_DEFAULT = "authorization, content-type, x-api-key"
_MAX_AGE_S = "86400"
_EXPOSED = "request-id, x-request-id, retry-after"
_CLOSED = "default-src 'none'; frame-ancestors 'none'"


class Cors:
    """Answers every OPTIONS itself and lets pages of other origins read every other answer, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        if scope["method"] == "OPTIONS":
            await _answer_preflight(asked, send)
            return
        origin = asked.get("origin")

        async def readable(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.add_vary_header("Origin")
                if origin is not None:
                    headers["access-control-allow-origin"] = origin
                    headers["access-control-expose-headers"] = _EXPOSED
            await send(message)

        await self.app(scope, receive, readable)


class SafeHeaders:
    """Adds what keeps browsers from guessing, leaking, framing and keeping; a route's own header stands."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("x-content-type-options", "nosniff")
                headers.setdefault("referrer-policy", "no-referrer")
                headers.setdefault("content-security-policy", _CLOSED)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, safe)


async def _answer_preflight(asked: Headers, send: Send) -> None:
    # Clients ask for headers nobody can list beforehand (x-stainless-*, anthropic-*, user-agent in Firefox).
    headers = {
        "access-control-allow-origin": asked.get("origin", "*"),
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": asked.get("access-control-request-headers", _ASKED_BY_DEFAULT),
        "access-control-max-age": _MAX_AGE_S,
        "vary": "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
    }
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 204, "headers": raw})
    await send({"type": "http.response.body", "body": b""})
