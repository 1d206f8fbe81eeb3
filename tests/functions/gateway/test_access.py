"""Who may come in, by which way."""

import pytest
from starlette.routing import Route

from functions.gateway.app import create_app
from tests.functions.gateway.asgi import BEARER, Exchange, request
from tests.functions.gateway.fakes_house import OTHER, TOKEN, FakeHouse, answer, friend, settings

pytestmark = pytest.mark.anyio


async def listing(headers: dict[str, str], house: FakeHouse | None = None) -> Exchange:
    """Returns the answer to GET /api/conversations with these headers."""
    return await request("GET", "/api/conversations", headers).run(create_app(house or FakeHouse()))


@pytest.mark.parametrize(
    ("headers", "life"),
    [
        (BEARER, "main"),
        ({"authorization": f"bearer  {TOKEN}"}, "main"),
        ({"x-api-key": OTHER}, "friend"),
        ({"cookie": f"a=b; paramecium={OTHER}"}, "friend"),
        ({"cookie": f"paramecium={OTHER}", "origin": "http://memory.test"}, "friend"),
        ({"cookie": f"paramecium={OTHER}", "sec-fetch-site": "same-origin"}, "friend"),
        ({"authorization": "Bearer stale", "x-api-key": TOKEN}, "main"),
        ({"x-api-key": TOKEN, "origin": "https://elsewhere.test"}, "main"),
    ],
)
async def test_a_token_opens_its_own_life(headers: dict[str, str], life: str) -> None:
    """Bearer, x-api-key and cookie are accepted, and lead to the life of their client."""
    exchange = await listing(headers, FakeHouse(settings(clients=[friend(scope="all")])))
    assert exchange.status == 200
    assert life in exchange.json["conversations"][0]["title"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer "},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": "Bearer 令牌"},
        {"x-api-key": ""},
        {"cookie": "paramecium="},
        {"cookie": f"other={TOKEN}"},
        {"cookie": f"paramecium={TOKEN}", "origin": "https://elsewhere.test"},
        {"cookie": f"paramecium={TOKEN}", "origin": "http://memory.test:3000"},
        {"cookie": f"paramecium={TOKEN}", "origin": "null"},
        {"cookie": f"paramecium={TOKEN}", "origin": "http://["},
        {"cookie": f"paramecium={TOKEN}", "origin": "", "host": "x"},
        {"cookie": f"paramecium={TOKEN}", "sec-fetch-site": "cross-site"},
    ],
)
async def test_anything_else_is_refused(headers: dict[str, str]) -> None:
    """No token, a wrong one, or a cookie from a page of another origin: 401, and nothing is read."""
    house = FakeHouse()
    exchange = await listing(headers, house)
    assert (exchange.status, exchange.json["error"]["type"]) == (401, "wrong_token")
    assert exchange.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in exchange.body.decode()
    assert not house.catalogues


@pytest.mark.parametrize("token", [None, ""])
async def test_without_any_token_the_door_says_how_to_make_one(token: str | None) -> None:
    """Nothing is open while nothing is configured; an empty token is none."""
    house = FakeHouse(settings(token=token, clients=[]))
    exchange = await listing({"x-api-key": ""}, house)
    assert (exchange.status, exchange.json["error"]["type"]) == (503, "not_configured")
    assert "paramecium init" in exchange.json["error"]["message"]


async def test_login_puts_the_token_where_no_script_reads_it() -> None:
    """The cookie is HttpOnly and SameSite=Strict, and opens the door."""
    exchange = await request("POST", "/api/login", {}, {"token": TOKEN}).run(create_app(FakeHouse()))
    cookie = exchange.headers["set-cookie"]
    assert exchange.json == {"client": "owner", "life": "main"}
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert (await listing({"cookie": cookie.split(";")[0]})).status == 200


async def test_the_cookie_is_secure_where_the_way_is() -> None:
    """Behind HTTPS the cookie never goes over plain HTTP."""
    asked = request("POST", "/api/login", {"x-forwarded-proto": "https"}, {"token": TOKEN})
    assert "Secure" in (await asked.run(create_app(FakeHouse()))).headers["set-cookie"]


async def test_a_token_of_any_characters_fits_into_the_cookie() -> None:
    """A token somebody made up by hand works as well."""
    house = FakeHouse(settings(token="口令; = 100%,\\", clients=[]))
    exchange = await request("POST", "/api/login", {}, {"token": "口令; = 100%,\\"}).run(create_app(house))
    assert (await listing({"cookie": exchange.headers["set-cookie"].split(";")[0]}, house)).status == 200


@pytest.mark.parametrize(
    ("body", "status"), [({"token": "wrong"}, 401), ({}, 401), ({"token": 1}, 400), (b"token", 400)]
)
async def test_a_wrong_login_sets_nothing(body: dict[str, object] | bytes, status: int) -> None:
    """A login that fails leaves no cookie."""
    exchange = await request("POST", "/api/login", {}, body).run(create_app(FakeHouse()))
    assert exchange.status == status
    assert "set-cookie" not in exchange.headers


async def test_logout_takes_the_cookie_away() -> None:
    """The cookie is replaced by one that is over at once."""
    exchange = await request("POST", "/api/logout", {}).run(create_app(FakeHouse()))
    assert "Max-Age=0" in exchange.headers["set-cookie"]


@pytest.mark.parametrize("path", ["/api/login", "/api/logout"])
async def test_no_foreign_page_logs_anybody_in_or_out(path: str) -> None:
    """A page of another origin gets 403 and no cookie."""
    asked = request("POST", path, {"origin": "https://elsewhere.test"}, {"token": TOKEN})
    exchange = await asked.run(create_app(FakeHouse()))
    assert (exchange.status, "set-cookie" in exchange.headers) == (403, False)


ROUTES = [
    ("POST", "/api/chat", {"message": "早"}, 200, 200),
    ("POST", "/api/chat/01abc/stop", None, 202, 202),
    ("GET", "/api/conversations", None, 403, 200),
    ("GET", "/api/conversations/conv-1", None, 403, 200),
    ("POST", "/api/recall", {"query": "猫"}, 403, 200),
    ("GET", "/api/menu?text=%E7%8C%AB", None, 403, 200),
    ("GET", "/healthz?detail=1", None, 403, 200),
    ("GET", "/healthz", None, 200, 200),
    ("POST", "/api/login", {"token": OTHER}, 200, 200),
    ("POST", "/api/logout", None, 200, 200),
]


@pytest.mark.parametrize(("method", "target", "body", "chat_status", "all_status"), ROUTES)
async def test_a_client_that_may_only_chat_reads_nothing(
    method: str, target: str, body: dict[str, object] | None, chat_status: int, all_status: int
) -> None:
    """With scope "chat" a client talks, stops, comes in and goes; everything that reads needs scope "all"."""
    for scope, status in (("chat", chat_status), ("all", all_status)):
        house = FakeHouse(settings(clients=[friend(scope=scope, memory=True)]))
        house.plays(*answer("好"))
        exchange = await request(method, target, {"x-api-key": OTHER}, body).run(create_app(house))
        assert exchange.status == status
        if status == 403:
            assert exchange.json["error"]["type"] == "not_allowed"
            assert (house.catalogues, house.queries, house.calls) == ({}, [], [])


def test_every_route_with_a_token_stands_in_the_list_above() -> None:
    """A new route has to say which scope it needs."""
    paths = {route.path for route in create_app(FakeHouse()).routes if isinstance(route, Route)}
    targets = [target.partition("?")[0] for _, target, *_ in ROUTES]
    known = {t.replace("01abc", "{turn}").replace("conv-1", "{conversation}") for t in targets}
    assert paths - known == {"/", "/pages/{name}"}


async def test_a_client_without_memory_looks_nothing_up() -> None:
    """With memory = false the search is closed, whatever the scope."""
    for memory, status in ((True, 200), (False, 403)):
        house = FakeHouse(settings(clients=[friend(scope="all", memory=memory)]))
        asked = request("POST", "/api/recall", {"x-api-key": OTHER}, {"query": "猫"})
        assert (await asked.run(create_app(house))).status == status
        assert len(house.queries) == memory


async def test_a_login_is_short() -> None:
    """Whoever has no token yet can make the door read 10,000 bytes at most."""
    for size, status in ((9_000, 401), (10_001, 413)):
        exchange = request("POST", "/api/login", {}, [b'{"token":"', b"x" * size, b'"}', b" "])
        assert (await exchange.run(create_app(FakeHouse()))).status == status
        assert (exchange.taken == 4) == (status == 401)
