"""The preview of a menu, through its door."""

from urllib.parse import quote

import pytest

from functions.gateway.app import create_app
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import OTHER, FakeHouse, friend, settings

pytestmark = pytest.mark.anyio


async def got(target: str, house: FakeHouse, **headers: str) -> Exchange:
    """Returns the answer to a GET."""
    return await request("GET", target, headers or None).run(create_app(house))


async def test_a_menu_is_shown() -> None:
    """Text, conversation and moment arrive, in the life of who asks; what is not named is None."""
    house = FakeHouse(settings(clients=[friend(scope="all", memory=True)]))
    shown = await got(f"/api/menu?text={quote('猫 睡了')}&conversation=c&at=2026-06-12T23:47", house)
    assert shown.json == {"lines": [], "text": "", "tokens": 0, "late": []}
    headers = {"x-api-key": OTHER}
    await request("GET", f"/api/menu?text={quote('茶')}&conversation=&later=1", headers).run(create_app(house))
    assert house.previews == [("main", "猫 睡了", "c", "2026-06-12T23:47"), ("friend", "茶", None, None)]


async def test_who_may_not_look_anything_up_sees_no_menu() -> None:
    """Neither a client that may only chat, nor one without memory, nor nobody at all."""
    for rights in ({"scope": "chat", "memory": True}, {"scope": "all", "memory": False}):
        house = FakeHouse(settings(clients=[friend(**rights)]))
        refused = await request("GET", "/api/menu?text=tea", {"x-api-key": OTHER}).run(create_app(house))
        assert (refused.status, house.previews) == (403, [])
    stranger = await request("GET", "/api/menu?text=tea", {"x-api-key": "nobody"}).run(create_app(FakeHouse()))
    assert stranger.status == 401


async def test_a_menu_is_only_read() -> None:
    """There is nothing to post."""
    house = FakeHouse()
    assert (await request("POST", "/api/menu", body={"text": "茶"}).run(create_app(house))).status == 405
    assert house.previews == []
