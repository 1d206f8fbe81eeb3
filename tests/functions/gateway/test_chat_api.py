"""POST /api/chat and its stop, the application driven by hand."""

import asyncio
import base64
from typing import Any

import pytest

from functions.gateway.app import create_app
from paramecium.chat.events import Ask, Failed
from paramecium.errors import (
    BadInput,
    Conflict,
    ConversationMissing,
    NotConfigured,
    ParameciumError,
    TooLarge,
    UpstreamTimeout,
)
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import OTHER, FakeHouse, answer, settings
from tests.functions.gateway.sse_reader import read_all

pytestmark = pytest.mark.anyio
PNG = b"\x89PNG\r\n\x1a\n-not-really"


async def talk(house: FakeHouse, body: Any, headers: dict[str, str] | None = None) -> Exchange:
    """Returns the answer to one POST /api/chat."""
    return await request("POST", "/api/chat", headers, body).run(create_app(house))


async def test_the_answer_streams_event_by_event() -> None:
    """Each event is sent before the next one exists."""
    house, gates = FakeHouse(), [asyncio.Event(), asyncio.Event()]
    started, one, two, done = answer("你", "好")
    house.plays(started, gates[0], one, gates[1], two, done)
    exchange = request("POST", "/api/chat", body={"message": "早"})
    running = asyncio.create_task(exchange.run(create_app(house)))
    await exchange.until(b"event: start")
    assert b"event: text" not in exchange.body
    gates[0].set()
    await exchange.until("你".encode())
    assert "好".encode() not in exchange.body
    gates[1].set()
    await running
    assert [name for name, _ in read_all(exchange.body)] == ["start", "text", "text", "done"]
    assert exchange.ended


async def test_the_stream_has_the_headers_clients_and_proxies_need() -> None:
    """The media type comes first and proxies are told not to gather."""
    house = FakeHouse()
    house.plays(*answer("好"))
    exchange = await talk(house, {"message": "早"})
    assert exchange.status == 200
    assert exchange.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert exchange.headers["cache-control"] == "no-cache, no-transform"
    assert exchange.headers["x-accel-buffering"] == "no"
    assert len([k for k, _ in exchange.raw_headers if k == "content-type"]) == 1


async def test_one_document_when_no_stream_is_wanted() -> None:
    """With "stream": false the turn is answered at its end, as JSON."""
    house = FakeHouse()
    house.plays(*answer("你", "\ud83d\u2028"))
    exchange = await talk(house, {"message": "早", "stream": False})
    assert (exchange.status, exchange.headers["content-type"]) == (200, "application/json")
    assert (exchange.json["text"], exchange.json["status"]) == ("你\ud83d\u2028", "complete")


@pytest.mark.parametrize("error", [BadInput("x"), ConversationMissing("x"), TooLarge("x"), NotConfigured("x")])
@pytest.mark.parametrize("stream", [True, False])
async def test_an_error_before_the_first_event_has_its_status(error: ParameciumError, stream: bool) -> None:
    """Nothing was streamed yet, so HTTP itself can say what happened."""
    house = FakeHouse()
    house.plays(error)
    exchange = await talk(house, {"message": "早", "stream": stream})
    assert exchange.status == error.status
    assert exchange.json == {"error": {"type": error.kind, "message": "x"}}


async def test_a_failure_as_first_event_has_its_status() -> None:
    """A turn that fails before it stored anything is answered like one that raised."""
    house = FakeHouse()
    house.plays(Failed("not_configured", "no account", 503))
    exchange = await talk(house, {"message": "早"})
    assert (exchange.status, exchange.json["error"]["message"]) == (503, "no account")


async def test_a_later_error_is_an_event_followed_by_done() -> None:
    """A stream that began ends with error and done, under status 200."""
    house = FakeHouse()
    house.plays(*answer("你")[:2], UpstreamTimeout("silent"))
    exchange = await talk(house, {"message": "早"})
    assert exchange.status == 200
    events = read_all(exchange.body)
    assert [name for name, _ in events] == ["start", "text", "error", "done"]
    assert events[2][1] == {"error": {"type": "upstream_timeout", "message": "silent"}}
    assert (events[3][1]["status"], events[3][1]["message"]) == ("error", None)


async def test_everything_asked_reaches_the_chat() -> None:
    """Fields, images and the client's rights are in the Ask; unknown fields are let be."""
    house = FakeHouse()
    house.plays(*answer())
    plain, url = base64.b64encode(PNG).decode(), "data:image/png;base64," + base64.encodebytes(PNG).decode()
    body = {
        "turn": "turn-of-the-client",
        "message": "看\u2028🧑‍🌾\ud83d",
        "conversation_id": "原来的 id",
        "parent": "",
        "account": "a",
        "model": "m:off",
    }
    images = [{"media_type": "image/png", "data": plain}, {"data": url}]
    await talk(house, body | {"images": images, "later": 1}, {"x-api-key": OTHER})
    (ask,) = house.talk.asks
    known = {"conversation": "原来的 id", "parent": "", "account": "a", "model": "m:off", "images": (PNG, PNG)}
    rights = {"client": "friend", "memory": False, "tools": False}
    assert ask == Ask(turn="turn-of-the-client", text="看\u2028🧑‍🌾\ud83d", **known, **rights)  # type: ignore[arg-type]
    assert house.lives == ["friend"]


async def test_a_turn_may_bring_its_own_id_to_be_asked_again() -> None:
    """The id reaches the chat, one of another form is refused, and a turn that is running is a conflict."""
    house = FakeHouse()
    house.plays(*answer())
    assert (await talk(house, {"message": "早", "turn": "my-turn-1"})).status == 200
    assert house.talk.asks[0].turn == "my-turn-1"
    assert (await talk(house, {"message": "早", "turn": "A/b"})).json["error"]["type"] == "bad_id"
    house.plays(Conflict("turn my-turn-1 is running"))
    assert (await talk(house, {"message": "早", "turn": "my-turn-1"})).status == 409


async def test_the_least_that_can_be_asked() -> None:
    """A message alone begins a new conversation; null is the same as absent."""
    house = FakeHouse()
    house.plays(*answer())
    await talk(house, {"message": "早", "conversation": None, "images": None, "model": ""})
    (ask,) = house.talk.asks
    assert ask == Ask(turn=ask.turn, text="早", client="owner")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{", "JSON"),
        (b"\xff", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"[]", "object"),
        ({}, "message"),
        ({"message": ""}, "message"),
        ({"message": 1}, "message"),
        ({"message": "早", "conversation": 1}, "conversation"),
        ({"message": "早", "parent": []}, "parent"),
        ({"message": "早", "turn": 7}, "turn"),
        ({"message": "早", "model": {}}, "model"),
        ({"message": "早", "account": False}, "account"),
        ({"message": "早", "stream": "no"}, "stream"),
        ({"message": "早", "images": {}}, "images"),
        ({"message": "早", "images": ["x"]}, "images"),
        ({"message": "早", "images": [{}] * 101}, "images"),
        ({"message": "早", "images": [{}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": "%%"}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": "好"}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": "aGk"}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": ""}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": 1}]}, "images[0].data"),
        ({"message": "早", "images": [{"data": "aGk=", "media_type": 1}]}, "images[0].media_type"),
        ({"message": "早", "images": [{"data": "data:text/plain,hi"}]}, "images[0].data"),
    ],
)
async def test_what_cannot_be_understood_is_refused_by_name(body: Any, named: str) -> None:
    """A 400 names the field, and no turn begins."""
    house = FakeHouse()
    exchange = await talk(house, body)
    assert (exchange.status, exchange.json["error"]["type"]) == (400, "bad_input")
    assert named in exchange.json["error"]["message"]
    assert not house.talk.asks


async def test_images_without_words_are_a_message() -> None:
    """An image alone may be sent, with an empty text."""
    house = FakeHouse()
    house.plays(*answer())
    assert (await talk(house, {"message": "", "images": [{"data": "aGk="}]})).status == 200
    assert house.talk.asks[0].images == (b"hi",)


async def test_a_client_that_is_not_archived_is_refused() -> None:
    """This door keeps all, so a client with archive = false is told instead of kept."""
    house = FakeHouse(settings(clients=[{"name": "code", "token": OTHER, "archive": False}]))
    exchange = await talk(house, {"message": "早"}, {"x-api-key": OTHER})
    assert (exchange.status, exchange.json["error"]["type"]) == (403, "not_allowed")


async def test_stop_is_accepted_and_reaches_the_chat() -> None:
    """The wish is noted with 202, in the life of who asks."""
    house = FakeHouse()
    exchange = await request("POST", "/api/chat/01abc/stop", {"x-api-key": OTHER}).run(create_app(house))
    assert (exchange.status, house.talk.stopped, house.lives) == (202, ["01abc"], ["friend"])


async def test_a_turn_that_is_no_id_cannot_be_stopped() -> None:
    """An id not of our form is refused before it could name anything."""
    house = FakeHouse()
    exchange = await request("POST", "/api/chat/A%20b/stop").run(create_app(house))
    assert (exchange.status, exchange.json["error"]["type"], house.talk.stopped) == (400, "bad_id", [])


async def test_a_disconnect_lets_the_turn_finish() -> None:
    """The response ends when the client has gone; the turn does not."""
    house, gate = FakeHouse(), asyncio.Event()
    started, one, two, done = answer("你", "好")
    house.plays(started, one, gate, two, done)
    exchange = request("POST", "/api/chat", body={"message": "早"})
    running = asyncio.create_task(exchange.run(create_app(house)))
    await exchange.until("你".encode())
    exchange.gone.set()
    await running
    assert not house.talk.finished
    gate.set()
    await house.talk.finish_seen.wait()
    assert b"event: done" not in exchange.body
