"""Limits and types of what comes in."""

import base64
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.gateway import bodies
from functions.gateway.app import create_app
from functions.gateway.bodies import Fields, decoded
from paramecium.errors import BadInput
from paramecium.messages import load_json
from tests.functions.gateway.asgi import BEARER, request
from tests.functions.gateway.fakes_house import FakeHouse, answer, settings


@pytest.mark.anyio
async def test_a_declared_length_over_the_limit_is_refused_unread() -> None:
    """Content-Length alone is enough for 413; no byte of the body is taken."""
    asked = request("POST", "/api/chat", BEARER | {"content-length": "1001"}, b"x" * 1001)
    exchange = await asked.run(create_app(FakeHouse(settings(body_bytes_max=1000))))
    assert (exchange.status, exchange.json["error"]["type"], exchange.taken) == (413, "too_large", 0)
    assert "1000" in exchange.json["error"]["message"]


@pytest.mark.anyio
async def test_a_body_in_pieces_is_refused_at_the_limit() -> None:
    """Without a declared length reading stops at the first byte over the limit."""
    asked = request("POST", "/api/chat", body=[b" " * 600] * 50)
    exchange = await asked.run(create_app(FakeHouse(settings(body_bytes_max=1000))))
    assert (exchange.status, exchange.taken) == (413, 2)


@pytest.mark.anyio
async def test_a_body_of_exactly_the_limit_comes_in() -> None:
    """The limit itself is allowed, in however many pieces."""
    house = FakeHouse(settings(body_bytes_max=1000))
    house.plays(*answer())
    body = '{"message":"早"}'.encode().ljust(1000)
    exchange = await request("POST", "/api/chat", body=[body[:17], body[17:]]).run(create_app(house))
    assert (exchange.status, house.talk.asks[0].text) == (200, "早")


@pytest.mark.anyio
async def test_an_absurd_length_is_too_large_and_no_crash() -> None:
    """A length of hundreds of digits is refused like any other."""
    asked = request("POST", "/api/chat", BEARER | {"content-length": "9" * 400}, b"{}")
    assert (await asked.run(create_app(FakeHouse()))).status == 413


@given(st.binary(min_size=1, max_size=100), st.sampled_from(["", "data:image/png;base64,", "DATA:;Base64,"]))
def test_base64_gives_the_bytes_back(body: bytes, before: str) -> None:
    """Plain, wrapped in lines, or inside a data: URL."""
    assert decoded(before + base64.b64encode(body).decode(), "x") == body
    assert decoded(before + base64.encodebytes(body).decode(), "x") == body


@pytest.mark.parametrize("value", [0, -1, 51, 1.5, "0", "x", "1e1", "٣", True, [], "9" * 5000])
def test_a_number_out_of_bounds_is_refused_by_name(value: object) -> None:
    """Only whole numbers within the bounds pass."""
    with pytest.raises(BadInput, match="limit must be a whole number from 1 to 50"):
        Fields({"limit": value}).number("limit", default=7, most=50)


def test_a_number_comes_from_json_or_from_a_query() -> None:
    """Both 12 and "12" are twelve; null is the default."""
    fields = Fields({"a": 12, "b": "12", "c": None})
    assert [fields.number(name, default=7, most=50) for name in "abcd"] == [12, 12, 7, 7]


def test_the_first_of_two_names_wins() -> None:
    """An alias is looked at only when the name itself is absent or null."""
    assert Fields({"a": "1", "b": "2"}).text("a", "b") == "1"
    assert Fields({"a": None, "b": "2"}).text("a", "b") == "2"
    assert Fields({"a": "", "b": "2"}).text("a", "b") == ""


@pytest.mark.anyio
async def test_a_big_body_is_parsed_beside_the_other_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a megabyte the parsing leaves the event loop free; a small body is parsed at once."""
    parsed_in: list[threading.Thread] = []

    def watched(body: bytes) -> object:
        parsed_in.append(threading.current_thread())
        return load_json(body)

    monkeypatch.setattr(bodies, "load_json", watched)
    for size in (10, bodies.THREAD_BYTES):
        house = FakeHouse()
        house.plays(*answer("好"))
        assert (await request("POST", "/api/chat", body={"message": "x" * size}).run(create_app(house))).status == 200
    assert [thread is threading.current_thread() for thread in parsed_in] == [True, False]
