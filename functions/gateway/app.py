"""The gateway's table of contents: every route, every middleware, and how the door opens and closes.

Decides nothing. Invariant: a route stands in the list either with `guard` or `whole` or in the open part, and nothing
heavy is imported before the house itself is built.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from functions.gateway.access import Access, Guard
from functions.gateway.chat_api import ChatDoor
from functions.gateway.conversations_api import ConversationsDoor
from functions.gateway.cors import Cors, SafeHeaders
from functions.gateway.errors import Errors, JsonResponse, answer_http
from functions.gateway.house import House
from functions.gateway.menu_api import MenuDoor
from functions.gateway.static_pages import Pages
from functions.gateway.turns import Turns

# A server that is told to end has 5 s: one goes to uvicorn for open streams, one to the jobs and a slow machine.
GRACE_S = 2.0


def create_app(house: House) -> Starlette:
    """Returns the ASGI application over a house."""
    turns = Turns()
    access = Access(house.settings)
    app = Starlette(
        routes=[*_guarded(house, turns, access), *_open(house, access)],
        middleware=[Middleware(Cors), Middleware(SafeHeaders), Middleware(Errors)],
        exception_handlers={HTTPException: answer_http},
        lifespan=_lifespan(house, turns),
    )
    app.router.redirect_slashes = False
    return app


def from_parts() -> Starlette:
    """Returns the application over what the environment configures, for `uvicorn --factory`."""
    from paramecium.wiring import parts_from_environment  # type: ignore[import-not-found, unused-ignore]

    return create_app(parts_from_environment())


def _guarded(house: House, turns: Turns, access: Access) -> list[Route]:
    guard = [Middleware(Guard, access=access)]
    whole = [Middleware(Guard, access=access, whole=True)]
    chat, said = ChatDoor(house, turns), ConversationsDoor(house)
    return [
        Route("/api/chat", chat.talk, methods=["POST"], middleware=guard),
        Route("/api/chat/{turn}/stop", chat.stop, methods=["POST"], middleware=guard),
        Route("/api/conversations", said.list, methods=["GET"], middleware=whole),
        Route("/api/conversations/{conversation}", said.read, methods=["GET"], middleware=whole),
        Route("/api/menu", MenuDoor(house).preview, methods=["GET"], middleware=whole),
        Route("/api/recall", said.recall, methods=["POST"], middleware=whole),
    ]


def _open(house: House, access: Access) -> list[Route]:
    pages = Pages()
    return [
        Route("/", pages.front, methods=["GET"]),
        Route("/pages/{name}", pages.file, methods=["GET"]),
        Route("/healthz", _health(house, access), methods=["GET"]),
        Route("/api/login", access.login, methods=["POST"]),
        Route("/api/logout", access.logout, methods=["POST"]),
    ]


def _health(house: House, access: Access) -> Callable[[Request], Awaitable[Response]]:
    async def health(request: Request) -> Response:
        if "detail" not in request.query_params:
            return JsonResponse({"ok": True})
        access.whole_client(request.scope)
        stores = await to_thread.run_sync(house.stores_ok)
        ok = bool(stores.get("ok"))
        return JsonResponse({"ok": ok, "stores": stores}, 200 if ok else 503)

    return health


def _lifespan(house: House, turns: Turns) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await _call(house, "start")
        try:
            yield
        finally:
            await turns.settle(GRACE_S)
            await _call(house, "close")

    return lifespan


async def _call(house: House, name: str) -> None:
    method = getattr(house, name, None)
    result = method() if method is not None else None
    if inspect.isawaitable(result):
        await result
