"""Several turns at once: in one talk, in many, and from two processes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import anyio
import pytest

from paramecium.chat.events import Ask, ChatEvent, Text
from paramecium.chat.turn import Chat
from paramecium.messages import path
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Request, UpstreamEvent
from tests.chat.checks import assert_continues, assert_valid
from tests.chat.fakes_chat import FakeRecall, Found, House, Piece, calls, done, says
from tests.chat.test_endings import HALF, Endless
from tests.fakes import ScriptedUpstream


async def heard(chat: Chat, ask: Ask) -> list[ChatEvent]:
    """Listens to one turn."""
    return [event async for event in chat.run(ask)]


def together(house: House, *asks: Ask) -> list[list[ChatEvent]]:
    """Runs turns at the same time, every second one as another process would."""
    told: list[list[ChatEvent]] = []
    first, second = house.chat, house.fresh()

    async def listen(number: int, ask: Ask) -> None:
        chat = (first, second)[number % 2]
        told.append(await heard(chat, ask))

    async def all_of_them() -> None:
        async with anyio.create_task_group() as group:
            for number, ask in enumerate(asks):
                group.start_soon(listen, number, ask)

    anyio.run(all_of_them)
    return told


def test_turns_in_one_talk_at_once_all_stand_once() -> None:
    """Ten questions at once in one talk: every one and its answer stand once, numbered without a gap."""
    house = House()
    house.says(says("开头"), *[says("好")] * 10)
    conv = house.talk("t", "一").conversation
    together(house, *[Ask(f"t{i}", f"问{i}", conv) for i in range(10)])
    entries = house.entries(conv)
    assert [e.n for e in entries] == list(range(22))
    assert sorted(e.text for e in entries if e.role == "user")[1:] == [f"问{i}" for i in range(10)]
    assert path(entries) == entries
    for request in house.upstream.requests:
        assert_valid(request)


class Gated(ScriptedUpstream):
    """Answers every question with itself, each when its gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = {text: asyncio.Event() for text in ("一", "二")}
        self.asked = {text: asyncio.Event() for text in ("一", "二")}

    async def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the answer."""
        self.requests.append(request)
        text = request.messages[-1]["content"][-1]["text"]
        if text in self.gates:
            self.asked[text].set()
            await self.gates[text].wait()
        for event in says(f"答{text}"):
            yield event


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("first", ["一", "二"])
def test_of_two_questions_one_after_the_other_no_word_leaves_the_path(processes: int, first: str) -> None:
    """A second question before the first is answered: whichever answer comes first, all four stand on the path."""
    upstream = Gated()
    house = House(upstream=upstream)
    conv = house.talk("t", "开头").conversation
    chats = [house.chat, house.chat if processes == 1 else house.fresh()]

    async def race() -> None:
        tasks: dict[str, asyncio.Task[list[ChatEvent]]] = {}
        for text, chat in zip("一二", chats, strict=True):
            tasks[text] = asyncio.create_task(heard(chat, Ask(f"t{len(tasks)}", text, conv)))
            await upstream.asked[text].wait()
        for text in (first, *set("一二") - {first}):
            upstream.gates[text].set()
            await tasks[text]

    anyio.run(race)
    said = [e.text for e in path(house.entries(conv))]
    assert said == ["开头", "答开头", "一", "二", f"答{first}", *(f"答{t}" for t in set("一二") - {first})]
    house.talk("t3", "三", conv)
    for before, after in pairwise(upstream.requests):
        assert_valid(after)
        assert_continues(before, after)


class Overtaken(RamStore):
    """Does something else just before the next block of a conversation is written."""

    def __init__(self) -> None:
        super().__init__()
        self.first: Callable[[], object] | None = None

    def create(self, key: str, body: bytes) -> str:
        """Lets the other one go first."""
        first, now = self.first, "/conversations/" in key
        if first and now:
            self.first = None
            first()
        return super().create(key, body)


def test_a_question_that_was_overtaken_follows_the_one_that_was_faster() -> None:
    """It hangs behind the whole turn that came between, is sent with it, and is found when it is asked again."""
    store = Overtaken()
    house, other = House(store), House(store)
    house.says(says("答零"), says("答二"))
    other.says(says("答一"))
    conv = house.talk("t", "零").conversation
    store.first = lambda: other.talk("t1", "一", conv)
    end = house.talk("t2", "二", conv)
    assert [e.text for e in path(house.entries(conv))] == ["零", "答零", "一", "答一", "二", "答二"]
    assert_valid(house.upstream.requests[1])
    assert len(house.upstream.requests[1].messages) == 5
    assert house.talk("t2", "二", conv) == end


def test_who_names_a_parent_is_not_moved_by_others() -> None:
    """An edit is a sibling of what it replaces, however much was said meanwhile."""
    store = Overtaken()
    house, other = House(store), House(store)
    house.says(says("答零"), says("答二"))
    other.says(says("答一"))
    conv = house.talk("t", "零").conversation
    store.first = lambda: other.talk("t1", "一", conv)
    house.talk("t2", "二", conv, parent=house.entries(conv)[1].id)
    assert [e.text for e in path(house.entries(conv))] == ["零", "答零", "二", "答二"]


def test_an_answer_that_was_moved_is_found_when_its_turn_is_asked_again() -> None:
    """Asking again tells the stored answer, though another turn stands between it and its question."""
    store = Overtaken()
    house, other = House(store), House(store)
    house.says(calls("雪", thinking="想"), says("答零", thinking="再想"), says("答二"))
    other.says(says("答一", thinking="也想"))

    def overtaken() -> Found:
        store.first = lambda: other.talk("t1", "一", "t0")
        return Found((Piece("雪"),))

    house.recall = FakeRecall(overtaken)
    house.chat = house.fresh()
    end = house.talk("t0", "零")
    assert [e.text for e in path(house.entries("t0"))] == ["零", "一", "答一", "答零"]
    assert house.talk("t0", "零") == end
    house.talk("t2", "二", "t0")
    assert_valid(house.upstream.requests[-1])
    kinds = [b["type"] for m in house.upstream.requests[-1].messages for b in m["content"]]
    assert kinds.count("thinking") == 1, "what was thought before another question is bound to a prefix that is gone"


def test_new_talks_at_once_are_talks_of_their_own() -> None:
    """Each question without a conversation begins one."""
    house = House()
    house.says(*[says("好")] * 6)
    told = together(house, *[Ask(f"t{i}", "问") for i in range(6)])
    assert len({done(events).conversation for events in told}) == 6


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
