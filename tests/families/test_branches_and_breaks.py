"""Talks that turned elsewhere or broke off in the middle: what is remembered follows the path, and no call hangs."""

from pathlib import Path
from typing import Any

import pytest

from paramecium.errors import UpstreamTruncated
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Request
from tests.chat.fakes_chat import calls, says
from tests.families.noted import Noted, shipped
from tests.jobs.extracting import quotes_of

pytestmark = pytest.mark.anyio
CHERRY, PEACH = "春天我们去看了玉渊潭的樱花", "春天我们去看了阳山的桃花，不是樱花"


@pytest.fixture
def anyio_backend() -> str:
    """Returns the one event loop the gateway runs on."""
    return "asyncio"


@pytest.fixture
def door(tmp_path: Path) -> Noted:
    """Gives a house over an empty store."""
    door = Noted(RamStore(), tmp_path, embedder=shipped())
    door.model.note = quotes_of
    return door


async def test_an_edit_is_a_sibling_and_takes_its_memory_along(door: Noted) -> None:
    """What was said again otherwise stands beside the first; the first is remembered no more, until it is gone back to
    (D7 111, §17 7)."""
    conv = await door.say("早", "早呀")
    before = door.entries(conv)[-1].id
    await door.say(CHERRY, "真好看", conversation=conv)
    door.extract()
    assert [n.quote for n in door.live()] == [CHERRY]
    await door.say(PEACH, "真好看", conversation=conv, parent=before)
    assert [m["quote"] for m in (await door.recall("春天去看的樱花"))["memories"]] == []  # before any job has run
    door.extract()
    assert [e.text for e in door.entries(conv)] == ["早", "早呀", CHERRY, "真好看", PEACH, "真好看"]
    assert [e.text for e in door.entries(conv) if e.parent == before] == [CHERRY, PEACH]
    assert CHERRY not in str(door.upstream.requests[-1].messages)
    assert [line["title"] for line in await door.menu("春天去看的樱花")] == [PEACH]
    assert [m["quote"] for m in (await door.recall("春天去看的樱花"))["memories"]] == [PEACH]
    first = next(e.id for e in door.entries(conv) if e.text == CHERRY)
    await door.say("那天风很大", "是呀", conversation=conv, parent=first)
    door.extract()
    assert [line["title"] for line in await door.menu("春天去看的樱花")] == [CHERRY]


@pytest.mark.parametrize("times", [1, 3])
async def test_regenerated_answers_double_no_question_and_no_memory(door: Noted, times: int) -> None:
    """The question asked again beside itself is a sibling; the model is sent it once, and one memory holds (D7 111)."""
    conv = await door.say("早", "早呀")
    before = door.entries(conv)[-1].id
    for i in range(1 + times):
        await door.say(CHERRY, f"第{i}种说法，都好看", conversation=conv, parent=before)
        assert str(door.upstream.requests[-1].messages).count(CHERRY) == 1
        door.extract()
    assert len(await door.menu("春天去看的樱花")) == 1
    assert len((await door.recall("春天去看的樱花"))["memories"]) == 1


def unanswered(asked: Request) -> list[Any]:
    """Returns the calls without a result in the very next message, and the results without a call before them."""
    out: list[Any] = []
    waiting: list[str] = []
    for message in asked.messages:
        results = [b["tool_use_id"] for b in message["content"] if b["type"] == "tool_result"]
        out += [waiting, results] if sorted(waiting) != sorted(results) else []
        waiting = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
    return out + waiting


BREAKS = {
    "before any round": [[UpstreamTruncated("断了")]],
    "in the call": [calls("樱花")[:-1] + [UpstreamTruncated("断了")]],
    "after the call": [calls("樱花"), [UpstreamTruncated("断了")]],
    "after two calls": [calls("樱花", "桃花"), calls("阳山", first="b"), [UpstreamTruncated("断了")]],
    "in the answer": [calls("樱花"), says("是玉")[:-1] + [UpstreamTruncated("断了")]],
}


@pytest.mark.parametrize("name", BREAKS)
async def test_a_turn_that_broke_leaves_no_call_without_its_result(door: Noted, name: str) -> None:
    """Wherever it broke, the next request answers each call at once, opens with a person, and is answered (D7 113)."""
    await door.say(CHERRY, "真好看")
    door.extract()
    door.upstream.enqueue(*BREAKS[name])
    conv = (await door.chat(message="去年春天去看了什么花"))[0][1]["conversation"]
    await door.say("你刚才说到哪里了", "说到樱花", conversation=conv)
    asked = door.upstream.requests[-1]
    assert unanswered(asked) == []
    assert asked.messages[0]["role"] == "user"
    assert "tool_result" not in str(asked.messages[0]["content"])
    assert door.entries(conv)[-1].text == "说到樱花"
    door.life.ingest()
    found = await door.recall("去年春天看的花", n=10)
    assert not [w for w in found["windows"] if "tool_" in w["text"] or "conv_id" in w["text"]]
