"""Listing, reading and searching what was said."""

import pytest

from functions.gateway.app import create_app
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import OTHER, FakeHouse, friend, settings

pytestmark = pytest.mark.anyio


async def got(target: str, house: FakeHouse) -> Exchange:
    """Returns the answer to a GET."""
    return await request("GET", target).run(create_app(house))


async def test_the_list_is_bounded_and_pages() -> None:
    """`limit` and `before` reach the catalogue; without them there is a default."""
    house = FakeHouse()
    assert (await got("/api/conversations", house)).json["conversations"][0]["title"] == "main 的🌱对话"
    await got("/api/conversations?limit=500&before=conv-9", house)
    assert house.catalogues["main"].asked == [(50, None), (500, "conv-9")]


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "limit=-1", "limit="])
async def test_a_limit_out_of_bounds_is_refused(query: str) -> None:
    """The refusal names the field."""
    exchange = await got(f"/api/conversations?{query}", FakeHouse())
    assert (exchange.status, "limit" in exchange.json["error"]["message"]) == (400, True)


async def test_a_conversation_is_read_by_either_name() -> None:
    """Its own id and the original one are accepted; what is neither is 404."""
    assert (await got("/api/conversations/conv-1", FakeHouse())).json["id"] == "conv-1"
    assert (await got("/api/conversations/原来的 id", FakeHouse())).json["id"] == "conv-1"
    missing = await got("/api/conversations/conv-2", FakeHouse())
    assert (missing.status, missing.json["error"]["type"]) == (404, "conversation_missing")


async def test_recall_passes_the_query_on_and_gives_the_words_back() -> None:
    """Every field arrives, in the life of who asks; the words come back verbatim."""
    house = FakeHouse(settings(clients=[friend(scope="all", memory=True)]))
    query = {"query": "猫", "exact": True, "after": "2024-01-01", "before": "2025-01-01", "conversation": "c", "n": 3}
    query["cursor"] = "5"
    exchange = await request("POST", "/api/recall", {"x-api-key": OTHER}, query | {"later": 1}).run(create_app(house))
    assert house.queries == [("friend", query)]
    assert exchange.json["windows"][0]["text"] == "一字不改\u2028🌱"


async def test_recall_has_defaults() -> None:
    """A query of a date alone is one."""
    house = FakeHouse()
    await request("POST", "/api/recall", body={"after": "2024-01-01"}).run(create_app(house))
    assert house.queries[0][1] == {
        "query": "",
        "exact": False,
        "after": "2024-01-01",
        "before": None,
        "conversation": None,
        "n": 8,
        "cursor": None,
    }


@pytest.mark.parametrize(
    "body", [{"query": 1}, {"exact": "yes"}, {"after": 2024}, {"before": []}, {"conversation": {}}, {"n": "many"}]
)
async def test_recall_names_a_field_of_a_wrong_type(body: dict[str, object]) -> None:
    """A wrong type is 400 and nothing is searched."""
    house = FakeHouse()
    exchange = await request("POST", "/api/recall", body=body).run(create_app(house))
    assert exchange.status == 400
    assert next(iter(body)) in exchange.json["error"]["message"]
    assert not house.queries
