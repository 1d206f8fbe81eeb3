"""Pages of other origins, and the headers of every answer."""

import pytest

from functions.gateway.app import create_app
from tests.functions.gateway.asgi import BEARER, request
from tests.functions.gateway.fakes_house import FakeHouse, answer

pytestmark = pytest.mark.anyio
STAINLESS = (
    "authorization,content-type,x-stainless-arch,x-stainless-lang,x-stainless-os,x-stainless-package-version,"
    "x-stainless-retry-count,x-stainless-runtime,x-stainless-runtime-version,x-stainless-timeout"
)


@pytest.mark.parametrize("path", ["/api/chat", "/api/conversations/x", "/v1/messages", "/nowhere"])
@pytest.mark.parametrize(
    ("origin", "asked"),
    [
        ("https://app.nextchat.dev", STAINLESS),
        ("app://obsidian.md", "authorization,anthropic-version,x-api-key,user-agent"),
        ("capacitor://localhost", "x-whatever-comes-next"),
    ],
)
async def test_a_preflight_passes_without_a_token(path: str, origin: str, asked: str) -> None:
    """Any origin and any headers are echoed, on any path."""
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": asked,
    }
    exchange = await request("OPTIONS", path, headers).run(create_app(FakeHouse()))
    assert (exchange.status, exchange.body) == (204, b"")
    assert exchange.headers["access-control-allow-origin"] == origin
    assert exchange.headers["access-control-allow-headers"] == asked
    assert "POST" in exchange.headers["access-control-allow-methods"]
    assert exchange.headers["access-control-max-age"] == "86400"
    assert {"Origin", "Access-Control-Request-Headers"} <= set(exchange.headers["vary"].split(", "))
    assert "access-control-allow-credentials" not in exchange.headers


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/api/chat", BEARER, 200),
        ("POST", "/api/chat", {}, 401),
        ("GET", "/nowhere", BEARER, 404),
        ("GET", "/api/chat", BEARER, 405),
        ("GET", "/healthz", {}, 200),
        ("GET", "/api/conversations/gone", BEARER, 404),
    ],
)
async def test_every_answer_may_be_read(method: str, path: str, headers: dict[str, str], status: int) -> None:
    """Streams, documents and errors alike carry each CORS and safety header once."""
    house = FakeHouse()
    house.plays(*answer("好"))
    body = b'{"message":"hi"}'
    asked = request(method, path, headers | {"origin": "app://obsidian.md"}, body)
    exchange = await asked.run(create_app(house))
    assert exchange.status == status
    names = [name for name, _ in exchange.raw_headers]
    for name in ("access-control-allow-origin", "vary", "x-content-type-options", "referrer-policy"):
        assert names.count(name) == 1
    assert exchange.headers["access-control-allow-origin"] == "app://obsidian.md"
    assert exchange.headers["x-content-type-options"] == "nosniff"
    assert exchange.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-credentials" not in exchange.headers


async def test_without_an_origin_nothing_is_allowed() -> None:
    """Answers to programs carry no allowance, but say that it depends on the origin."""
    exchange = await request("GET", "/healthz", {}).run(create_app(FakeHouse()))
    assert "access-control-allow-origin" not in exchange.headers
    assert exchange.headers["vary"] == "Origin"


async def test_an_answer_stays_in_no_cache() -> None:
    """What was said is not kept by browsers or proxies."""
    exchange = await request("GET", "/api/conversations").run(create_app(FakeHouse()))
    assert exchange.headers["cache-control"] == "no-store"
