"""The door behind a real uvicorn, asked by a real client over loopback."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from functions.gateway import turns as turns_file
from functions.gateway.app import create_app
from paramecium.errors import UpstreamTimeout
from tests.functions.gateway.fakes_house import FakeHouse, answer, settings
from tests.functions.gateway.real_server import serving
from tests.functions.gateway.sse_reader import SseReader

pytestmark = pytest.mark.anyio
Events = AsyncIterator[tuple[str, Any]]


async def events(response: httpx.Response, reader: SseReader | None = None) -> Events:
    """Yields the events of a response as they arrive."""
    reader = reader or SseReader()
    async for piece in response.aiter_raw():
        for event in reader.feed(piece):
            yield event


async def test_events_arrive_one_by_one() -> None:
    """The next event is let go only after the one before has arrived at the client."""
    house, gates = FakeHouse(), [asyncio.Event() for _ in range(3)]
    started, one, two, done = answer("你\u2028🌱", "\ud83d")
    house.plays(started, gates[0], one, gates[1], two, gates[2], done)
    async with (
        serving(create_app(house)) as client,
        client.stream("POST", "/api/chat", json={"message": "早"}) as response,
    ):
        stream = events(response)
        assert (await anext(stream))[0] == "start"
        for gate, expected in zip(gates[:2], ("你\u2028🌱", "\ud83d"), strict=True):
            gate.set()
            assert await anext(stream) == ("text", {"text": expected})
        gates[2].set()
        assert (await anext(stream))[0] == "done"
        assert [e async for e in stream] == []


async def test_pings_come_while_the_turn_is_silent() -> None:
    """Comments keep the connection alive, and the event after them is whole."""
    house, gate = FakeHouse(settings(ping_after_s=0.02)), asyncio.Event()
    started, one, done = answer("你")
    house.plays(started, gate, one, done)
    reader, seen = SseReader(), []
    async with (
        serving(create_app(house)) as client,
        client.stream("POST", "/api/chat", json={"message": "早"}) as response,
    ):
        async for piece in response.aiter_raw():
            seen += reader.feed(piece)
            if reader.comments >= 3:
                gate.set()
    assert [name for name, _ in seen] == ["start", "text", "done"]


async def test_a_disconnect_in_mid_stream_lets_the_turn_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client goes after the first words; the turn runs to its end without waiting for anybody."""
    monkeypatch.setattr(turns_file, "PATIENCE_S", 3600)
    house, gate = FakeHouse(), asyncio.Event()
    started, one, two, done = answer("你", "好")
    house.plays(started, one, gate, *[two] * 5000, done)
    async with serving(create_app(house)) as client:
        async with client.stream("POST", "/api/chat", json={"message": "早"}) as response:
            stream = events(response)
            assert [(await anext(stream))[0] for _ in range(2)] == ["start", "text"]
        assert not house.talk.finished
        gate.set()
        async with asyncio.timeout(10):
            await house.talk.finish_seen.wait()


async def test_a_client_that_reads_nothing_does_not_lose_the_others() -> None:
    """While one client lets its stream lie, another one's turn goes through."""
    house = FakeHouse()
    big = answer(*["长" * 10_000] * 400)
    house.plays(*big)
    house.plays(*answer("好"))
    async with serving(create_app(house)) as client:
        async with client.stream("POST", "/api/chat", json={"message": "早"}):
            other = await client.post("/api/chat", json={"message": "晚", "stream": False})
            assert other.json()["text"] == "好"
        async with asyncio.timeout(20):
            while len(house.talk.finished) < 2:
                await house.talk.finish_seen.wait()
                house.talk.finish_seen.clear()


async def test_stop_reaches_a_running_turn() -> None:
    """A second request can stop what the first one started."""
    house = FakeHouse()
    started, one, done = answer("你")
    house.plays(started, one, house.talk.stop_seen, done)
    async with (
        serving(create_app(house)) as client,
        client.stream("POST", "/api/chat", json={"message": "早"}) as response,
    ):
        stream = events(response)
        turn = (await anext(stream))[1]["turn"]
        stopped = await client.post(f"/api/chat/{turn}/stop")
        assert (stopped.status_code, house.talk.stopped) == (202, [turn])
        assert [name async for name, _ in stream] == ["text", "done"]


async def test_many_turns_at_once_do_not_mix() -> None:
    """Twenty streams run side by side and each client gets its own words."""
    house, gate, begun = FakeHouse(), asyncio.Event(), asyncio.Barrier(21)
    for i in range(20):
        started, *texts, done = answer(*[str(i)] * 50)
        house.plays(started, gate, *texts, done)

    async def one(client: httpx.AsyncClient) -> list[str]:
        async with client.stream("POST", "/api/chat", json={"message": "早"}) as response:
            stream = events(response)
            assert (await anext(stream))[0] == "start"
            await begun.wait()
            return [data["text"] async for name, data in stream if name == "text"]

    async with serving(create_app(house)) as client:
        running = [asyncio.create_task(one(client)) for _ in range(20)]
        await begun.wait()
        gate.set()
        said = await asyncio.gather(*running)
    assert sorted(said) == sorted([str(i)] * 50 for i in range(20))


async def test_a_chunked_body_over_the_limit_is_413() -> None:
    """A body without a length is refused at the limit, and the connection answers the next request."""

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b" " * 10_000

    async with serving(create_app(FakeHouse(settings(body_bytes_max=50_000)))) as client:
        refused = await client.post("/api/chat", content=parts())
        assert (refused.status_code, refused.json()["error"]["type"]) == (413, "too_large")
        assert (await client.post("/api/chat", content=b" " * 60_000)).status_code == 413
        assert (await client.get("/healthz")).json() == {"ok": True}


async def test_errors_and_preflights_over_the_wire() -> None:
    """Statuses and CORS headers survive the server."""
    house = FakeHouse()
    house.plays(UpstreamTimeout("silent"))
    origin = {"origin": "app://obsidian.md", "access-control-request-headers": "x-stainless-os"}
    async with serving(create_app(house)) as client:
        preflight = await client.options("/api/chat", headers=origin)
        assert (preflight.status_code, preflight.headers["access-control-allow-headers"]) == (204, "x-stainless-os")
        failed = await client.post("/api/chat", json={"message": "早"}, headers=origin)
        assert (failed.status_code, failed.headers["access-control-allow-origin"]) == (504, "app://obsidian.md")
        refused = await client.get("/api/conversations", headers={"authorization": "Bearer no"})
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert (await client.head("/")).status_code == 200
        assert (await client.get("/%E7%8C%AB%ff")).status_code == 404


async def test_shutdown_lets_a_turn_end_and_closes_the_house() -> None:
    """The server stops while a turn runs: the turn ends first, then the house is closed."""
    house, gate = FakeHouse(), asyncio.Event()
    started, one, done = answer("你")
    house.plays(started, gate, one, done)
    async with serving(create_app(house)) as client, client.stream("POST", "/api/chat", json={"message": "早"}) as sent:
        assert (await anext(events(sent)))[0] == "start"
        asyncio.get_running_loop().call_later(0.2, gate.set)
    assert house.talk.finished
    assert house.calls == ["start", "close"]
