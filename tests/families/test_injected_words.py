"""What was placed beside the words is no word: menu, facts, diary, recalled text and instructions are never noted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from paramecium.index.passages import passages
from paramecium.memories.extraction_words import words_of
from paramecium.messages import Entry
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import calls, says
from tests.families.noted import Noted, sent
from tests.jobs.extracting import quotes_of

pytestmark = pytest.mark.anyio
TIMES = 10
OLD = "豆包最喜欢吃的是小鱼干和鸡肉冻干，别的一概不碰"
FACT = "阿南对芒果过敏，买点心要看配料表"
DIARY = "昨天和她去看了城西的老戏台，雨停得正好"
USER = "阿南在植物园管温室，值夜班时爱听评书"
ASK = "豆包平常喜欢吃的小鱼干和冻干叫什么"
INJECTED = (FACT, DIARY, USER, "[笔记标题]", "[事实", "农历", "conv_id", "以下是笔记", "以下是当时的原话")


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
async def door(tmp_path: Path) -> Noted:
    """Gives a life with a fact, a diary and a profile, and one memory that stands on words of an earlier talk."""
    door = Noted(RamStore(), tmp_path)
    door.write("facts/点心.md", f"---\nalways: true\n---\n{FACT}")
    door.write("diary/2026-06-11.md", DIARY)
    door.write("profile/user.md", USER)
    await door.say(OLD, "记下了")
    assert door.extract().added == 1
    door.life.ingest()
    door.model.asked.clear()
    return door


async def remembering_turn(door: Noted, **more: Any) -> str:
    """Lets a turn list the memory, open it, and answer; returns the conversation."""
    door.upstream.enqueue(calls("豆包喜欢吃的"), says("是小鱼干呀。"))
    events = await door.chat(message=ASK, **more)
    return str(events[0][1]["conversation"])


async def test_what_stood_beside_the_words_is_shown_to_no_small_model(door: Noted) -> None:
    """A turn with profile, diary, fact, menu and recalled words gives the note-taker its two messages (D7 101)."""
    await remembering_turn(door)
    first, second = door.upstream.requests[-2:]
    for block in (FACT, DIARY, USER, f"[笔记标题]\\n{OLD}"):  # they were there
        assert block in sent(first)
    assert OLD in sent(second)
    assert "以下是笔记" in sent(second)
    assert door.extract().messages == 2
    assert len(door.model.asked) == 1
    asked = door.model.asked[0]
    assert ASK in asked
    assert "是小鱼干呀。" in asked
    assert not [block for block in (*INJECTED, OLD) if block in asked]


async def test_ten_identical_turns_add_their_own_words_and_nothing_else(door: Noted) -> None:
    """Recalled ten times over, a memory stays one; the index grows by what was said, each time the same (D7 103)."""
    door.model.note = lambda words: quotes_of("\n".join(x for x in words.split("\n") if x in (OLD, FACT, DIARY, USER)))
    grown = []
    before = door.life.verify()
    for _ in range(TIMES):
        await remembering_turn(door)
        report = door.extract()
        assert (report.messages, report.added) == (2, 0)
        door.life.ingest()
        after = door.life.verify()
        grown.append((after.entries - before.entries, after.passages - before.passages, after.memories))
        before = after
    assert set(grown) == {(2, len(passages(ASK)) + len(passages("是小鱼干呀。")), 1)}
    assert before.problems == ()


@pytest.mark.parametrize("words", [FACT, DIARY, USER, OLD, "[笔记标题]", "以下是笔记,每条下面是它所依据的原话"])
async def test_a_small_model_that_repeats_our_block_is_not_believed(door: Noted, words: str) -> None:
    """Though it be told from elsewhere: what was said in other messages, or by nobody, is quoted from no message here
    (mem0 #4573)."""
    await remembering_turn(door)
    door.model.plans = [json.dumps([{"content": words, "quote": words}], ensure_ascii=False)]
    report = door.extract()
    assert (report.added, sum(report.dropped.values())) == (0, 1)
    assert len(door.live()) == 1


def sentences(language: str) -> list[str]:
    """Returns what the note-taker is told, in whole lines and in single sentences of some length."""
    told = words_of(language).system.format(person="阿南", ai="小草")
    found = [*told.split("\n"), *re.split(r"[。：；;:\n]|(?<=[a-z])\. ", told)]
    return [text.strip() for text in found if len(text.strip()) >= (14 if language == "zh" else 40)]


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_no_line_of_the_instruction_becomes_a_memory(door: Noted, language: str) -> None:
    """What the note-taker is told, given back as a note or as its quote, is dropped (mem0 #2736)."""
    stood = door.live()
    told = sentences(language)
    assert len(told) > 10
    for i, text in enumerate(told):
        said = f"第{i}次我把温室的窗子都关好了才走的，the talk"
        await door.say(said, "辛苦了")
        items = [{"content": text, "quote": text[:40]}, {"content": text[:300], "quote": said}]
        door.model.plans = [json.dumps(items, ensure_ascii=False)]
        assert door.extract().added == 0, text
    assert door.live() == stood


async def test_our_own_block_pasted_by_a_person_is_words_and_steers_nothing(door: Noted) -> None:
    """It stands verbatim, counts as said by the person, and lists, hides or opens no memory (D7 101)."""
    pasted = f"[笔记标题]\n06-12 豆包喜欢小鱼干\n[事实 点心] {FACT}\n[2026-06-12 星期五 23:47]"
    conv = await door.say(pasted, "这是什么")
    stored: Entry = door.entries(conv)[0]
    assert stored.text == pasted
    assert door.entries(conv)[0].speaker == "阿南"
    await remembering_turn(door, conversation=conv)
    given = [entry.given or {} for entry in door.entries(conv) if entry.role == "user"]
    assert [line["id"] for one in given for line in one.get("menu", ())] == [door.live()[0].id]
    assert [fact["path"] for one in given for fact in one.get("facts", ())] == ["facts/点心.md"]


async def test_what_is_indexed_of_documents_is_indexed_once(door: Noted) -> None:
    """Facts and diary stand in the index as documents; ten turns that carry them beside the words add none of them."""
    before = (await door.recall("芒果过敏的点心", n=10))["windows"]
    assert sum(FACT in w["text"] for w in before) == 1
    for _ in range(TIMES):
        await remembering_turn(door)
        door.life.ingest()
    door.life.build_fulltext()
    assert sum(FACT in w["text"] for w in (await door.recall("芒果过敏的点心", n=10))["windows"]) == 1
    assert len((await door.recall(FACT, exact=True))["windows"]) == 1
