"""The same thing said, asked, sent or noted again: what is remembered stays as many as it was, and is listed once."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from paramecium.chat.tool_loop import ROUNDS_MAX
from paramecium.memories.events import Recalled
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import calls, says
from tests.fakes import Killed, WatchedStore
from tests.families.noted import Noted, sent, shipped
from tests.jobs.extracting import CANDIDATE, Model
from tests.jobs.import_files import said, talk, write

pytestmark = pytest.mark.anyio
TIMES = 5
TEA = "我决定以后奶茶就只喝乌龙轻乳茶这一种了"
SIMILAR = ("奶茶该喝哪一种", "那奶茶到底喝哪一种好", "今天奶茶喝哪一种呢", "再问一次，奶茶喝哪种", "奶茶，喝哪一种")


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
async def door(tmp_path: Path) -> Noted:
    """Gives a life with one memory, and the shipped model."""
    door = Noted(RamStore(), tmp_path, embedder=shipped())
    await door.say(TEA, "记下了")
    assert door.extract().added == 1
    return door


def answer(*quotes: str, **more: Any) -> str:
    """Returns notes as a small model writes them, each in the words of its quote."""
    return json.dumps([{"content": quote, "quote": quote, **more} for quote in quotes], ensure_ascii=False)


async def test_one_memory_is_listed_once_in_five_similar_turns(door: Noted) -> None:
    """In one talk a memory stands on the first menu alone, though each message would bring it up (D7 109)."""
    assert all([await door.menu(text) for text in SIMILAR])
    conv = None
    for text in SIMILAR:
        conv = await door.say(text, "嗯", **({"conversation": conv} if conv else {}))
    assert conv is not None
    listed = [len((e.given or {}).get("menu", ())) for e in door.entries(conv) if e.role == "user"]
    assert listed == [1, 0, 0, 0, 0]
    assert sent(door.upstream.requests[-1]).count(TEA) == 1
    other = await door.say(SIMILAR[0])
    assert len((door.entries(other)[0].given or {})["menu"]) == 1


async def test_rephrased_queries_that_find_nothing_come_to_an_end(tmp_path: Path) -> None:
    """Each is told that nothing was found, the last that no more is looked up, and the turn is answered (D7 105)."""
    door = Noted(RamStore(), tmp_path)
    await door.say(TEA, "记下了")
    assert door.extract().added == 1
    door.life.ingest()
    assert (await door.recall("乌龙轻乳茶"))["memories"]
    stood = len(door.life.ledger.read())
    queries = [f"量子{'计算机' * i}的退相干时间" for i in range(1, ROUNDS_MAX)]
    door.upstream.enqueue(*[calls(q, first=f"r{i}-") for i, q in enumerate(queries)], says("我不记得这件事。"))
    conv = (await door.chat(message="量子计算机的事你还记得吗"))[0][1]["conversation"]
    assert len(door.upstream.requests) == 1 + ROUNDS_MAX
    told = sent(door.upstream.requests[-1])
    assert told.count("没有找到") == ROUNDS_MAX - 2
    assert told.count("翻看的次数已到上限") == 1
    assert door.entries(conv)[-1].text == "我不记得这件事。"
    opened = [e.what for e in door.life.ledger.read()[stood:] if isinstance(e.what, Recalled)]
    assert not [what for what in opened if what.memories or what.windows]


async def test_the_same_query_again_is_told_that_there_is_no_more(door: Noted) -> None:
    """It is not looked up a second time, and remembered once (D7 105)."""
    door.upstream.enqueue(calls("奶茶", first="a"), calls("奶茶", first="b"), says("乌龙。"))
    await door.chat(message="奶茶喝哪种")
    assert sent(door.upstream.requests[-1]).count("没有更多了") == 1
    assert sum(isinstance(e.what, Recalled) for e in door.life.ledger.read()) == 1


async def test_a_turn_that_is_sent_again_opens_nothing_again(door: Noted) -> None:
    """The same turn, told again here and elsewhere, writes no second recall, menu or note (D7 107)."""
    door.upstream.enqueue(calls("奶茶"), says("乌龙。"))
    await door.chat(message="奶茶我平常喝的是哪一种", turn="t1")
    before = door.below("main/")
    for _ in range(TIMES):
        await door.another().chat(message="奶茶我平常喝的是哪一种", turn="t1")
    assert door.below("main/") == before
    assert [door.extract().added for _ in range(TIMES)] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_batch_that_is_read_again_is_noted_once(after: bool, tmp_path: Path) -> None:
    """Killed at each store call of the job, then run again: one memory, one Added (D7 107)."""
    ends = set()
    for at in range(1, 60):
        inner = RamStore()
        door = Noted(inner, tmp_path)
        await door.say(TEA, "记下了")
        dying = Noted(WatchedStore(inner, die_at=at, after=after), tmp_path, model=door.model)
        dying.clock.forward(hours=2)
        try:
            dying.life.extract()
        except Killed:
            door.extract()
            ends.add("killed")
        else:
            ends.add("whole")
        kinds = Counter(type(e.what).__name__ for e in door.life.ledger.read())
        assert kinds == {"Added": 1}, at
    assert ends == {"killed", "whole"}


async def test_an_import_that_comes_again_is_noted_once(door: Noted, tmp_path: Path) -> None:
    """The same file, asked for again and again, costs one call and adds its memories once (D7 107, mem0 #1674)."""
    file = write(
        tmp_path / "f", talk("旧-1", said("老家的桂花又开了满院子都香", id="a"), said("真香", "assistant", id="b"))
    )
    added = []
    for _ in range(TIMES):
        met: list[str] = []
        door.life.import_file(file, met=met.append)
        door.life.ask_for(door.life.estimate_extract(met))
        report = door.extract()
        added.append((report.messages, report.added))
    assert added == [(2, 1), *[(0, 0)] * (TIMES - 1)]
    assert len(door.live()) == 2


FRIEND = "小葛是我在植物园认识的老朋友，他管多肉温室"


@pytest.mark.parametrize("quotes", [(FRIEND,) * 3, (FRIEND, FRIEND[:16], FRIEND[4:]), (FRIEND,) * 50])
async def test_one_fact_given_several_times_over_is_one_memory(door: Noted, quotes: tuple[str, ...]) -> None:
    """In one answer, with the same words or with parts of them, a place is noted once (memobase #143, mem0 #1674)."""
    await door.say(FRIEND, "小葛你好")
    door.model.plans = [answer(*quotes)]
    report = door.extract()
    assert report.added == 1
    assert report.already + report.dropped.get("too_many", 0) == len(quotes) - 1
    assert [n.content for n in door.live()] == [TEA, FRIEND]


async def test_adding_again_deletes_nothing(door: Noted) -> None:
    """A cursor that is lost lets all be read again: each memory stands as it stood, pinned or retired (mem0 #1674)."""
    await door.say("老家的桂花又开了满院子都香", "真香")
    door.extract()
    tea, osmanthus = (n.id for n in door.live())
    door.life.hand.pin(tea)
    door.life.hand.retire(osmanthus, "记错了")
    stood, events = door.state().memories, len(door.life.ledger.read())
    for _ in range(TIMES):
        door.store.delete("derived/main/cursors/extract.json")
        assert door.extract().already == 2
    assert door.state().memories == stood
    assert len(door.life.ledger.read()) == events


REPEATS = [{"relation": "repeats", "confidence": 0.95, "reason": "说的是同一件事"}]
WORDINGS = (TEA, "奶茶的话我以后就只喝乌龙轻乳茶了", "说过的，奶茶我只喝乌龙轻乳茶这一种")


async def test_three_wordings_of_one_fact_fill_no_menu(tmp_path: Path) -> None:
    """Said three times in other words and told to be the same, a fact takes one line and one note (mem0 #5850)."""
    door = Noted(RamStore(), tmp_path, model=Model(compare=same))
    for words in WORDINGS:
        await door.say(words, "好")
        assert door.extract().added == 1
    assert len(door.model.compared) >= 2
    assert len(await door.menu("奶茶喝哪一种好")) == 1
    assert len((await door.recall("奶茶喝哪一种"))["memories"]) == 1
    assert len(door.state().memories) == len(WORDINGS)


def same(words: str) -> str:
    """Answers that every earlier memory says the same."""
    ids = dict.fromkeys(CANDIDATE.findall(words))
    return json.dumps([{"id": i, **REPEATS[0]} for i in ids], ensure_ascii=False)
