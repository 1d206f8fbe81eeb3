"""The list of routes, how the door opens and closes, and what importing it loads."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from starlette.routing import Route

import functions.gateway
from functions.gateway.app import create_app, from_parts
from functions.gateway.turns import Turns
from tests.functions.gateway.asgi import BEARER, request
from tests.functions.gateway.fakes_house import FakeHouse, answer

pytestmark = pytest.mark.anyio
OPEN = {"/", "/healthz", "/pages/{name}", "/api/login", "/api/logout"}
ROUTES = [route for route in create_app(FakeHouse()).routes if isinstance(route, Route)]
HEAVY = ("numpy", "boto3", "botocore", "usearch", "onnxruntime", "tokenizers", "httpx", "jieba")


@pytest.mark.parametrize("route", [r for r in ROUTES if r.path not in OPEN], ids=lambda r: r.path)
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}], ids=["none", "wrong"])
async def test_every_route_not_named_open_needs_a_token(route: Route, headers: dict[str, str]) -> None:
    """Whatever is added to the list is closed, unless this test names it."""
    for method in route.methods or ():
        exchange = await request(method, route.path.replace("{", "").replace("}", ""), headers, b"{}").run(
            create_app(FakeHouse())
        )
        assert exchange.status == 401


async def test_an_unknown_path_is_404_and_a_wrong_method_405() -> None:
    """Both are JSON and say which path; 405 says what the path takes."""
    unknown = await request("GET", "/v1/nothing/猫", {}).run(create_app(FakeHouse()))
    assert (unknown.status, unknown.json["error"]["type"]) == (404, "not_found")
    assert "/v1/nothing/" in unknown.json["error"]["message"]
    wrong = await request("DELETE", "/api/chat", {}).run(create_app(FakeHouse()))
    assert (wrong.status, wrong.headers["allow"], wrong.json["error"]["type"]) == (405, "POST", "method_not_allowed")


async def test_a_slash_more_is_not_redirected() -> None:
    """A redirect behind a proxy would name a wrong address, so there is none."""
    assert (await request("GET", "/healthz/", {}).run(create_app(FakeHouse()))).status == 404


async def test_health_answers_at_once_and_touches_nothing() -> None:
    """No token, no store, no chat."""
    house = FakeHouse()
    exchange = await request("GET", "/healthz", {}).run(create_app(house))
    assert (exchange.status, exchange.json) == (200, {"ok": True})
    assert (house.calls, house.lives) == ([], [])


async def test_health_in_detail_asks_the_stores_and_needs_a_token() -> None:
    """With ?detail the stores are looked at, for a client only; a bad one is 503."""
    house = FakeHouse()
    assert (await request("GET", "/healthz?detail=1", {}).run(create_app(house))).status == 401
    assert not house.calls
    assert (await request("GET", "/healthz?detail=1", BEARER).run(create_app(house))).status == 200
    house.stores = {"ok": False}
    assert (await request("GET", "/healthz?detail=1", BEARER).run(create_app(house))).status == 503


async def test_the_house_is_started_and_closed_after_the_last_turn() -> None:
    """At shutdown running turns end before the house is closed."""
    house, gate = FakeHouse(), asyncio.Event()
    app = create_app(house)
    house.plays(answer()[0], gate, answer()[1])
    exchange = request("POST", "/api/chat", body={"message": "早"})
    async with app.router.lifespan_context(app):
        assert house.calls == ["start"]
        running = asyncio.create_task(exchange.run(app))
        await exchange.until(b"event: start")
        asyncio.get_running_loop().call_soon(gate.set)
    assert house.calls == ["start", "close"]
    assert house.talk.finished
    await running


async def test_a_house_without_start_and_close_will_do() -> None:
    """Both are offers."""

    class Bare:
        settings = FakeHouse().settings

    app = create_app(Bare())  # type: ignore[arg-type]
    async with app.router.lifespan_context(app):
        pass


async def test_shutdown_without_turns_waits_for_nothing() -> None:
    """There is nothing to wait for."""
    async with asyncio.timeout(1):
        await Turns().settle(3600)


async def test_the_factory_builds_over_what_the_environment_configures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The house comes from wiring, which is imported only then."""
    wiring = ModuleType("paramecium.wiring")
    monkeypatch.setattr(wiring, "parts_from_environment", FakeHouse, raising=False)
    monkeypatch.setitem(sys.modules, "paramecium.wiring", wiring)
    assert (await request("GET", "/api/conversations").run(from_parts())).status == 200


def test_importing_the_door_loads_nothing_heavy() -> None:
    """A fresh process that imports the door has no heavy library in it."""
    code = f"import sys, functions.gateway.app; print([m for m in {HEAVY!r} if m in sys.modules])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_the_script_for_the_web_adapter_hands_over_to_uvicorn() -> None:
    """It can be executed and is valid shell, with the factory's name in it."""
    script = Path(functions.gateway.__file__).parent / "run.sh"
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", script], check=True)
    assert "--factory functions.gateway.app:from_parts" in script.read_text("utf-8")
