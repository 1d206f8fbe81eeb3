"""What is remembered has a source, can be put right, is lost by no failure, and once gone is served by no cache."""

import json
from pathlib import Path
from typing import Any

import pytest

from paramecium.errors import UpstreamError, UpstreamOverloaded, UpstreamTimeout
from paramecium.memories.events import Added
from paramecium.memories.extraction_words import words_of
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import calls, says
from tests.cli.process import paramecium
from tests.families.noted import Noted, local, sent, shipped
from tests.jobs.extracting import quotes_of

pytestmark = pytest.mark.anyio
TEA = "我决定以后奶茶就只喝乌龙轻乳茶这一种了"
CAT = "豆包是我从植物园\n捡回来的 狸花猫，已经三岁了"
TALK = (TEA, CAT, "妈妈的生日是农历八月初三，每年都要打电话", "昨天温室的水管冻裂了一根，抢修到半夜")


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
async def door(tmp_path: Path) -> Noted:
    """Gives a life in a folder, with four memories and an index."""
    door = Noted(local(tmp_path), tmp_path / "cache", embedder=shipped())
    door.model.note = lambda _: answer(*({"content": q.replace("\n", ""), "quote": q[:40]} for q in TALK))
    for words in TALK:
        await door.say(words)
        door.extract()
    door.life.ingest()
    assert len(door.live()) == len(TALK)
    return door


def answer(*items: Any) -> str:
    """Returns items as a small model writes them."""
    return json.dumps(items, ensure_ascii=False)


def listed(door: Noted, conversation: str) -> list[str]:
    """Returns the ids on the menu of the first message of a conversation."""
    return [line["id"] for line in (door.entries(conversation)[0].given or {}).get("menu", ())]


async def shown(door: Noted, ask: str) -> tuple[Any, Any, Any]:
    """Returns what the three doors of finding show."""
    return await door.menu(ask), await door.recall(ask), await door.recall(ask[:2], exact=True)


async def test_each_memory_leads_to_its_words(door: Noted, tmp_path: Path) -> None:
    """Conversation, message, start and end of each name its quote's own characters in the archive (mem0 #7047)."""
    told = paramecium("--data", tmp_path / "data", "memories", "list", "--json", cwd=tmp_path).json
    assert len(told) == len(TALK)
    for memory in told:
        said = next(e.text for e in door.entries(memory["conversation"]) if e.id == memory["message"])
        assert said[memory["start"] : memory["end"]] == memory["quote"]
        found = (await door.recall(memory["quote"]))["memories"]
        assert found[0]["id"] == memory["id"]
        assert found[0]["quote"] == memory["quote"]
    assert door.life.verify().problems == ()


COLD = "今天外面零下十度真是冷"
ITEMS: list[Any] = [
    {"content": "今天很冷", "quote": COLD}, {"content": "今天很冷", "quote": "今天外面零上十度真是冷"},
    {"content": "", "quote": COLD}, {"content": "冷"}, "冷", None, 7, {"content": "冷", "quote": "冷"},
    {"content": "豆包有 30 斤重", "quote": COLD}, {"content": "系统提示词说很冷", "quote": COLD},
    {"content": "冷" * 301, "quote": COLD},
]  # fmt: skip


@pytest.mark.parametrize("first", range(len(ITEMS)))
async def test_each_item_is_noted_or_counted(door: Noted, first: int) -> None:
    """Of five items, whatever they are, those added, those there already and those dropped are five (mem0 #3009)."""
    await door.say(COLD, "多穿点")
    items = [*ITEMS, *ITEMS][first : first + 5]
    door.model.plans = [answer(*items)]
    report = door.extract()
    assert report.added + report.already + sum(report.dropped.values()) == len(items)
    assert len(door.live()) == len(TALK) + report.added


@pytest.mark.parametrize(
    "failure", [UpstreamError("away"), UpstreamOverloaded("忙"), UpstreamTimeout("慢"), "[{", "不"]
)
async def test_a_model_that_fails_loses_no_word(door: Noted, failure: str | Exception) -> None:
    """What was said while the small model was away is noted when it is back, or is told (Ombre #9, mem0 #3009)."""
    words = "我答应了老周，周六去帮他搬多肉盆栽"
    await door.say(words, "好")
    door.model.plans = [failure]
    failed = door.extract()
    assert failed.added == 0
    assert failed.failed or failed.dropped
    door.model.note = quotes_of
    again = door.another().extract()
    assert (again.added, failure == "不") in ((1, False), (0, True))
    assert door.entries(door.life.catalogue.list()[0]["id"])[0].text == words


async def test_a_talk_whose_model_failed_is_noted_all_the_same(door: Noted) -> None:
    """The person's words stand, and are noted, though no answer ever came (Ombre #9)."""
    door.model.note = quotes_of
    door.upstream.enqueue([UpstreamError("away")])
    assert (await door.chat(message="我答应了老周，周六去帮他搬多肉盆栽"))[-2][0] == "error"
    assert door.extract().added == 1


LANGUAGES = [
    (TEA, "I decided to drink only oolong milk tea", 0),
    ("我们家的猫叫 Mochi，今年三岁了", "The cat is named Mochi", 0),
    ("I only drink oolong milk tea now", "I only drink oolong milk tea now", 1),
    ("I only drink oolong milk tea now", "小明 only drinks oolong milk tea", 0),
    ("I only drink oolong milk tea now", "阿南 only drinks oolong milk tea now", 1),
    ("I only drink oolong milk tea now", "阿南现在只喝乌龙奶茶", 0),
    ("ウーロンミルクティーしか飲みません", "阿南只喝乌龙奶茶", 1),
    (TEA, "나는 우롱 밀크티만 마시기로 했다", 0),
    (TEA, "Я пью только улун с молоком", 0),
    (TEA, "これからはウーロンティーだけ飲む", 0),
]


@pytest.mark.parametrize(("said", "content", "added"), LANGUAGES)
async def test_a_note_is_in_the_language_of_its_words(door: Noted, said: str, content: str, added: int) -> None:
    """A translation is dropped: names and things would be others than were said (mem0 #3206, Hindsight #3166)."""
    await door.say(said + "。", "")
    door.model.plans = [answer({"content": content, "quote": said[:40]})]
    report = door.extract()
    assert (report.added, sum(report.dropped.values())) == (added, 1 - added), report.dropped
    assert "用对话的语言" in words_of("zh").system
    assert "Use the language of the talk" in words_of("en").system


async def test_all_that_is_derived_comes_back_the_same(door: Noted) -> None:
    """Deleted to the last object and made anew, index and snapshot give the same recall and menu (MemPalace #1208)."""
    await door.say("奶茶", "乌龙")
    door.life.build_fulltext()
    asks = ("奶茶喝哪一种好", "豆包是哪里来的", "妈妈哪天过生日", "水管怎么了")
    before = [await shown(door, ask) for ask in asks]
    assert all(menu and found["memories"] and found["windows"] for menu, found, _ in before)
    for key in list(door.store.list("derived/")):
        door.store.delete(key)
    fresh = Noted(door.store, door.folder / "fresh", door.upstream, door.embedder, door.model)
    fresh.life.rebuild()
    fresh.life.build_fulltext()
    for again in (fresh, door):  # a warm process sees it, too
        assert [
            (await again.menu(a), await again.recall(a), await again.recall(a[:2], exact=True)) for a in asks
        ] == before
    assert fresh.extract().added == 0
    assert fresh.life.verify().problems == ()


async def test_a_wrong_memory_is_put_right_for_good(door: Noted, tmp_path: Path) -> None:
    """Corrected, it is neither listed nor opened, what is right is given, and reading all again brings nothing back
    (Hindsight #1094)."""
    wrong = (await door.menu("奶茶喝哪一种好"))[0]["id"]
    right = "奶茶其实只喝茉莉奶绿，乌龙是说错了"
    done = paramecium("--data", tmp_path / "data", "memories", "correct", wrong, right, cwd=tmp_path)
    assert done.code == 0, done.err
    conv = await door.say("奶茶喝哪一种好")
    assert right in sent(door.upstream.requests[-1])
    assert wrong not in listed(door, conv)
    door.store.delete("derived/main/cursors/extract.json")
    door.extract()
    assert wrong not in [n.id for n in door.live()]
    assert wrong not in [m["id"] for m in (await door.recall("奶茶喝哪一种"))["memories"]]


@pytest.mark.parametrize("command", [("retire",), ("correct", "记错了，是茉莉"), ("validity", "--from", "2030-01-01")])
async def test_what_another_process_takes_away_is_served_from_no_cache(
    door: Noted, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """A warm server lists and opens it no more from the next turn on, and again once it is back (OpenMemory #186)."""
    ident, (name, *rest) = (await door.menu("奶茶喝哪一种好"))[0]["id"], command
    run = ("--data", tmp_path / "data", "memories")
    assert paramecium(*run, name, ident, *rest, cwd=tmp_path).code == 0
    assert ident not in [line["id"] for line in await door.menu("奶茶喝哪一种好")]
    door.upstream.enqueue(calls("奶茶"), says("嗯"))
    conv = (await door.chat(message="奶茶喝哪一种好"))[0][1]["conversation"]
    assert ident not in listed(door, conv)
    if name != "validity":
        assert ident not in str(door.entries(conv)[1].rounds)
    back = ("validity", ident, "--from", "2020-01-01") if name == "validity" else ("unretire", ident)
    assert paramecium(*run, *back, cwd=tmp_path).code == 0
    assert ident in [line["id"] for line in await door.menu("奶茶喝哪一种好")]


async def test_nothing_goes_without_a_trace(door: Noted, tmp_path: Path) -> None:
    """Superseded, retired and corrected ones stand in the list with their state, and no event is ever removed
    (nowledge #81)."""
    events = door.below("main/memories/")
    ids = [n.id for n in door.live()]
    run = ("--data", tmp_path / "data", "memories")
    for command in (("retire", ids[0]), ("correct", ids[1], "不对"), ("supersede", ids[2], "--by", ids[3])):
        assert paramecium(*run, *command, cwd=tmp_path).code == 0
    door.life.build_fulltext()
    door.life.rebuild()
    told = paramecium(*run, "list", "--json", cwd=tmp_path).json
    assert [(m["id"], m["state"]) for m in told] == list(
        zip(ids, ("retired", "retired", "superseded", "live"), strict=True)
    )
    assert events.items() <= door.below("main/memories/").items()
    assert sum(isinstance(e.what, Added) for e in door.life.ledger.read()) == len(TALK)


@pytest.mark.parametrize("talk", ["早", "哈哈哈", "好的", "嗯嗯，知道了", "晚安", "谢谢你", "ok", "你在干嘛", "😂😂"])
async def test_small_talk_lists_nothing_even_beside_trivia(tmp_path: Path, talk: str) -> None:
    """A note-taker that keeps trifles derails no reply: small talk has an empty menu (Open WebUI #26449, SillyTavern
    #2318 #1212)."""
    door = Noted(RamStore(), tmp_path, embedder=shipped())
    for words in ("周二早上吃了两个水煮鸡蛋", "今天的外卖晚到了二十分钟", *TALK):
        await door.say(words, "好")
        door.extract()
    assert len(door.live()) >= 5
    assert await door.menu("奶茶喝哪一种好")
    assert await door.menu(talk) == []
