"""A process that dies before or after any store call of a turn: the question is kept, nothing is doubled or half."""

from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest

from paramecium.chat.events import Ask, ChatEvent, Done, Started
from paramecium.errors import ConversationMissing
from paramecium.messages import Entry
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import House, calls, done, says
from tests.fakes import PNG, Killed, WatchedStore

NEW = Ask("turn-new", "新的话", images=(PNG,))
NEXT = Ask("turn-next", "接着说👨‍👩‍👧", "turn-old", images=(PNG,))


def lived() -> RamStore:
    """Returns a store in which one turn was had."""
    house = House(RamStore())
    house.says(says("旧的答话"))
    house.turn(Ask("turn-old", "旧的话"))
    assert isinstance(house.store, RamStore)
    return house.store


def answering(store: RamStore | WatchedStore) -> House:
    """Returns a house whose model looks something up and answers."""
    house = House(store)
    house.says(calls("雪"), says("新的答话"))
    return house


@contextmanager
def dying() -> Iterator[None]:
    """Lets the process die."""
    try:
        yield
    except Killed:
        return


def told_until_death(house: House, ask: Ask) -> list[ChatEvent]:
    """Returns what the listener was told before the process died."""
    told: list[ChatEvent] = []

    async def listen() -> None:
        async for event in house.chat.run(ask):
            told.extend([event])

    with dying():
        anyio.run(listen)
    return told


def standing(store: RamStore, ask: Ask) -> list[Entry]:
    """Returns what stands of the conversation, read anew."""
    try:
        return list(House(store).entries(ask.conversation or ask.turn))
    except ConversationMissing:
        return []


def calls_of(ask: Ask) -> int:
    """Returns how many store calls the turn makes when nobody dies."""
    watched = WatchedStore(lived())
    assert done(answering(watched).turn(ask)).status == "complete"
    return len(watched.calls)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("ask", [NEW, NEXT])
def test_death_at_every_store_call_of_a_turn(ask: Ask, after: bool) -> None:
    """Told Started, the question stands; told Done, the answer; asked again, each stands exactly once."""
    before = ["旧的话", "旧的答话"] if ask.conversation else []
    for number in range(1, calls_of(ask) + 1):
        store = lived()
        told = told_until_death(answering(WatchedStore(store, die_at=number, after=after)), ask)
        texts = [e.text for e in standing(store, ask)]
        assert texts in (before, [*before, ask.text], [*before, ask.text, "新的答话"]), number
        if any(isinstance(e, Started) for e in told):
            assert ask.text in texts
        if any(isinstance(e, Done) for e in told):
            assert texts[-1] == "新的答话"
        again = done(answering(store).turn(ask))
        entries = standing(store, ask)
        assert [e.text for e in entries] == [*before, ask.text, "新的答话"], number
        assert (again.message, again.status) == (entries[-1].id, "complete")
        assert entries[-1].parent == entries[-2].id


def test_a_turn_costs_a_known_number_of_store_calls() -> None:
    """A warm turn lists its conversation, writes question and answer with their arrivals, and no more."""
    store = WatchedStore(lived())
    house = House(store)
    house.says(says("好"), says("好"))
    house.talk("turn-a", "第一句", "turn-old")
    heads = [(name, key.split("/")[2]) for name, key in store.calls if "/heads/" in key]
    assert heads == [("create", "heads")]
    store.calls.clear()
    house.talk("turn-b", "第二句", "turn-old")
    named = [(name, key.split("/")[2]) for name, key in store.calls]
    assert named == [
        ("list", "conversations"),
        ("create", "conversations"),
        ("create", "arrivals"),
        ("create", "conversations"),
        ("create", "arrivals"),
    ]
