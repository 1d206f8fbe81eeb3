"""Several turns at once: in one talk, in many, and from two processes."""

import asyncio

import anyio

from paramecium.chat.events import Ask, ChatEvent, Text
from tests.chat.fakes_chat import House, done, says
from tests.chat.test_endings import HALF, Endless


def together(house: House, *asks: Ask) -> list[list[ChatEvent]]:
    """Runs turns at the same time, every second one as another process would."""
    heard: list[list[ChatEvent]] = []
    first, second = house.chat, house.fresh()

    async def listen(number: int, ask: Ask) -> None:
        chat = (first, second)[number % 2]
        heard.append([event async for event in chat.run(ask)])

    async def all_of_them() -> None:
        async with anyio.create_task_group() as group:
            for number, ask in enumerate(asks):
                group.start_soon(listen, number, ask)

    anyio.run(all_of_them)
    return heard


def test_turns_in_one_talk_at_once_all_stand_once() -> None:
    """Ten questions at once in one talk: every one and its answer stand once, numbered without a gap."""
    house = House()
    house.says(says("开头"), *[says("好")] * 10)
    conv = house.talk("t", "一").conversation
    together(house, *[Ask(f"t{i}", f"问{i}", conv) for i in range(10)])
    entries = house.entries(conv)
    assert [e.n for e in entries] == list(range(22))
    assert sorted(e.text for e in entries if e.role == "user")[1:] == [f"问{i}" for i in range(10)]
    questions = {e.id for e in entries if e.role == "user"}
    assert {e.parent for e in entries if e.role == "assistant"} == questions


def test_new_talks_at_once_are_talks_of_their_own() -> None:
    """Each question without a conversation begins one."""
    house = House()
    house.says(*[says("好")] * 6)
    heard = together(house, *[Ask(f"t{i}", "问") for i in range(6)])
    assert len({done(events).conversation for events in heard}) == 6


def test_stopping_one_turn_leaves_the_others_alone() -> None:
    """Only the turn that is named ends."""
    house = House(upstream=Endless(HALF, HALF))
    ended: list[str] = []

    async def stop_one() -> None:
        speaking = {turn: asyncio.Event() for turn in "ab"}

        async def listen(turn: str) -> None:
            async for event in house.chat.run(Ask(turn, "问")):
                if isinstance(event, Text):
                    speaking[turn].set()
            ended.append(turn)

        tasks = {turn: asyncio.create_task(listen(turn)) for turn in "ab"}
        for event in speaking.values():
            await event.wait()
        await house.chat.stop("b")
        await tasks["b"]
        assert ended == ["b"]
        tasks["a"].cancel()
        await asyncio.wait({tasks["a"]})

    anyio.run(stop_one)
    assert ended == ["b"]
    assert [house.entries(turn)[1].status for turn in "ab"] == ["incomplete", "stopped"]
