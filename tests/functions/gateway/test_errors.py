"""One table from errors to answers."""

import asyncio

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from functions.gateway.app import create_app
from functions.gateway.errors import Errors, described
from paramecium import errors
from paramecium.errors import ParameciumError
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import FakeHouse

pytestmark = pytest.mark.anyio
PLAIN = [
    e
    for e in vars(errors).values()
    if isinstance(e, type) and issubclass(e, ParameciumError) and e.__init__ is ParameciumError.__init__
]


async def served(error: Exception, *, begin: bool = False) -> Exchange:
    """Returns what a route that raises is answered with."""

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        if begin:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise error

    return await request("GET", "/").run(Errors(route))


@pytest.mark.parametrize("error", PLAIN)
async def test_every_error_of_the_house_has_its_status(error: type[ParameciumError]) -> None:
    """Status, kind and message go out as the error says."""
    exchange = await served(error("键 x\u2028🌱"))
    assert exchange.status == error.status
    assert exchange.json == {"error": {"type": error.kind, "message": "键 x\u2028🌱"}}


async def test_anything_else_is_500_with_an_id_and_no_words(caplog: pytest.LogCaptureFixture) -> None:
    """The answer names an id that the log has too; neither shows what the error said."""
    exchange = await served(RuntimeError("sk-secret 悄悄话"))
    message = exchange.json["error"]["message"]
    assert (exchange.status, exchange.json["error"]["type"]) == (500, "internal_error")
    assert message.split()[-1] in caplog.text
    assert "RuntimeError" in caplog.text
    assert "Traceback" not in message
    assert "sk-secret" not in message + caplog.text
    assert "悄悄话" not in message + caplog.text


async def test_the_houses_own_faults_are_logged_without_their_words(caplog: pytest.LogCaptureFixture) -> None:
    """A 5xx leaves a line with its kind; a 4xx is the caller's and leaves none."""
    described(errors.UpstreamRefused(500, "悄悄话"))
    assert "upstream_refused" in caplog.text
    assert "悄悄话" not in caplog.text
    caplog.clear()
    described(errors.BadInput("x"))
    assert not caplog.text


async def test_an_error_after_the_beginning_cuts_the_answer_off() -> None:
    """A status can no longer be sent, so the error goes on to the server."""
    with pytest.raises(errors.BadInput):
        await served(errors.BadInput("x"), begin=True)


async def test_a_client_that_left_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is there to be answered, and nothing is logged."""
    exchange = await served(ClientDisconnect())
    assert (exchange.status, caplog.text) == (0, "")


async def test_a_client_that_leaves_while_sending_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    """A body that stops in its middle begins no turn."""
    house = FakeHouse()
    exchange = request("POST", "/api/chat", body=[])
    exchange.gone.set()
    async with asyncio.timeout(5):
        await exchange.run(create_app(house))
    assert (exchange.status, house.talk.asks, caplog.text) == (0, [], "")


async def test_the_routers_own_refusals_are_json_too() -> None:
    """An HTTPException keeps its status and headers."""
    exchange = await served(HTTPException(405, "no", {"Allow": "GET"}))
    assert (exchange.status, exchange.headers["allow"]) == (405, "GET")
    assert exchange.json["error"]["type"] == "method_not_allowed"


@pytest.mark.anyio
async def test_a_document_ends_its_line() -> None:
    """Errors and answers end with a newline, so that a terminal's prompt stands on a line of its own."""
    for target, status in (("/nowhere", 404), ("/healthz", 200)):
        exchange = await request("GET", target).run(create_app(FakeHouse()))
        assert (exchange.status, exchange.body[-2:]) == (status, b"}\n")
