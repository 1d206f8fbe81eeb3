"""Who may come in: the tokens of the configuration, brought in a header or in a cookie.

Keeps sha256 digests, never a token. Invariant: every comparison looks at every client and takes the same time, and a
cookie counts only for a request that a page of this very host makes.
"""

import hashlib
import hmac
from urllib.parse import quote, unquote_to_bytes

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from functions.gateway.bodies import Fields, read_json
from functions.gateway.errors import JsonResponse
from paramecium.errors import NotAllowed, NotConfigured, WrongToken
from paramecium.settings import Client, Settings

COOKIE = "paramecium"
LOGIN_BYTES_MAX = 10_000
_COOKIE_S = 90 * 24 * 3600
_SCOPE_KEY = "client_of_paramecium"


class Access:
    """Knows the clients by the digests of their tokens; an empty token is none."""

    def __init__(self, settings: Settings) -> None:
        tokens = [(c.token.get_secret_value().encode("utf-8", "surrogatepass"), c) for c in settings.everyone]
        self._known = [(hashlib.sha256(token).digest(), client) for token, client in tokens if token]

    def client(self, scope: Scope) -> Client:
        """Returns whose token came with a request; raises WrongToken, or NotConfigured while there is no token."""
        headers = Headers(scope=scope)
        return self._owner(_brought(headers), "no token came: send it as Authorization: Bearer, or as x-api-key")

    def whole_client(self, scope: Scope) -> Client:
        """Returns whose token came with a request; raises WrongToken, NotConfigured, NotAllowed if it may only chat."""
        client = self.client(scope)
        if client.scope != "all":
            raise NotAllowed(f'client {client.name} may only chat (scope = "chat"); this needs scope = "all"')
        return client

    async def login(self, request: Request) -> Response:
        """Answers POST /api/login {"token"}: puts the token into a cookie no script can read."""
        _refuse_foreign(request.headers)
        token = Fields(await read_json(request, LOGIN_BYTES_MAX)).text("token") or ""
        client = self._owner([token.encode("utf-8", "surrogatepass")], "")
        response = JsonResponse({"client": client.name, "life": client.life})
        _set_cookie(response, request, quote(token, safe="", errors="surrogatepass"), _COOKIE_S)
        return response

    async def logout(self, request: Request) -> Response:
        """Answers POST /api/logout: takes the cookie away."""
        _refuse_foreign(request.headers)
        response = JsonResponse({"ok": True})
        _set_cookie(response, request, "", 0)
        return response

    def _owner(self, tokens: list[bytes], none_came: str) -> Client:
        if not self._known:
            raise NotConfigured("no token is configured, so nobody may come in; make one with: paramecium init")
        if not tokens:
            raise WrongToken(none_came)
        digests = [hashlib.sha256(token).digest() for token in tokens]
        found = [c for known, c in self._known for digest in digests if hmac.compare_digest(known, digest)]
        if not found:
            raise WrongToken("this token is not one of ours")
        return found[0]


class Guard:
    """Lets a request pass to its route only with a token, of scope "all" if `whole`, and says whose it is."""

    def __init__(self, app: ASGIApp, access: Access, *, whole: bool = False) -> None:
        self.app = app
        self._client = access.whole_client if whole else access.client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        scope[_SCOPE_KEY] = self._client(scope)
        await self.app(scope, receive, send)


def client_of(request: Request) -> Client:
    """Returns whose request this is, on a route behind the Guard."""
    client: Client = request.scope[_SCOPE_KEY]
    return client


def _brought(headers: Headers) -> list[bytes]:
    tokens = [headers.get("x-api-key", "")]
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        tokens.append(value.strip(" "))
    brought = [token.encode("latin-1") for token in tokens if token]
    if not _foreign(headers):
        brought += _cookies(headers)
    return brought


def _cookies(headers: Headers) -> list[bytes]:
    pairs = (part.strip(" ").partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
    return [unquote_to_bytes(value) for name, _, value in pairs if name == COOKIE and value]


def _foreign(headers: Headers) -> bool:
    # SameSite takes two ports of one host for one site; Origin and Host do not.
    origin = headers.get("origin")
    if origin is not None:
        return origin.partition("://")[2].lower() != headers.get("host", "").lower()
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")


def _refuse_foreign(headers: Headers) -> None:
    if _foreign(headers):
        raise NotAllowed("a page of another origin may not log in or out; send the token as Authorization: Bearer")


def _set_cookie(response: Response, request: Request, value: str, age_s: int) -> None:
    secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto"))
    response.set_cookie(COOKIE, value, max_age=age_s, path="/", secure=secure, httponly=True, samesite="strict")
