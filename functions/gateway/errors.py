"""The one table from an error to an HTTP answer, and the middleware that asks it.

Knows statuses and kinds; knows no route. Invariant: nothing of an error that nobody meant to show leaves the process.
Its class and the lines it passed go to the log, under an id the caller also gets; its words do not, since they may be
a person's.
"""

import logging
import traceback

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paramecium import clock
from paramecium.errors import ParameciumError
from paramecium.messages import Json, dump_json

_log = logging.getLogger("paramecium.gateway")
_KINDS_OF_HTTP = {404: "not_found", 405: "method_not_allowed"}


class JsonResponse(Response):
    """Is a document in the house's JSON: UTF-8, unescaped, every text intact."""

    media_type = "application/json"

    def render(self, content: Json) -> bytes:
        """Returns the bytes of the document; they end with a newline, for whoever reads them in a terminal."""
        return dump_json(content) + b"\n"


class Errors:
    """Turns what was raised further in into an answer, while none has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request; once an answer has begun, an error can only cut it off, so it is raised again."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            return
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            await answer(error)(scope, receive, send)


def answer(error: Exception) -> Response:
    """Returns the answer to an error: {"error": {"type", "message"}} under its status."""
    kind, message, status = described(error)
    response = JsonResponse({"error": {"type": kind, "message": message}}, status)
    headers = MutableHeaders(raw=response.raw_headers)
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, HTTPException) and error.headers:
        headers.update(error.headers)
    return response


def described(error: Exception) -> tuple[str, str, int]:
    """Returns kind, message and status of an error; logs it when it is the house's fault."""
    if isinstance(error, ParameciumError):
        if error.status >= 500:
            _log.warning("answered %d %s", error.status, error.kind)
        return error.kind, str(error), error.status
    if isinstance(error, HTTPException):
        return _KINDS_OF_HTTP.get(error.status_code, "bad_input"), error.detail, error.status_code
    number = clock.new_id()
    trace = "".join(traceback.format_tb(error.__traceback__))
    _log.error("internal error %s: %s\n%s", number, type(error).__name__, trace)
    return "internal_error", f"something broke inside; the log has it under {number}", 500


async def answer_http(request: Request, error: Exception) -> Response:
    """Returns the answer to what the router refuses, naming the path and what it takes."""
    if isinstance(error, HTTPException) and error.status_code in _KINDS_OF_HTTP:
        path = request.scope["path"][:200]
        told = f"nothing stands at {path}"
        if error.status_code == 405:
            told = f"{path} does not take {request.method}"
        error = HTTPException(error.status_code, told, error.headers)
    return answer(error)
