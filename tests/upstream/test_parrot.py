"""The parrot: looks up a question's own words, repeats what came back, and says what it is."""

from itertools import pairwise

import anyio
import pytest

from paramecium.messages import Json
from paramecium.upstream.base import Finished, Request, TextDelta, ToolCall, UpstreamEvent
from paramecium.upstream.parrot import Parrot

RECALL: Json = {"name": "recall", "description": "…", "input_schema": {"type": "object"}}
NASTY = "“去年”\u2028的雪👨‍👩‍👧\r\n  e\u0301 \ud83d 👍🏽🇨🇳 \0" * 9


def words(*texts: str) -> Json:
    """Returns a user message of texts."""
    return {"role": "user", "content": [{"type": "text", "text": t} for t in texts]}


def spoken(*messages: Json, tools: tuple[Json, ...] = (RECALL,), language: str = "zh") -> list[UpstreamEvent]:
    """Returns the events of one answer."""

    async def listen() -> list[UpstreamEvent]:
        request = Request("parrot", (), tools, messages, 100)
        return [event async for event in Parrot(language).stream(request)]

    return anyio.run(listen)


def repeated(parrot: Parrot, result: str) -> str:
    """Returns what a parrot says to the result of its look-up."""

    async def listen() -> str:
        told: Json = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": result}]}
        request = Request("parrot", (), (RECALL,), (words("问"), told), 100)
        return text([event async for event in parrot.stream(request)])

    return anyio.run(listen)


def text(events: list[UpstreamEvent]) -> str:
    """Returns what was said."""
    return "".join(e.text for e in events if isinstance(e, TextDelta))


def test_looks_up_the_questions_own_words() -> None:
    """It calls recall with the last text of the question, not with what was placed beside it."""
    events = spoken(words("更早的话"), words("[2026-06-12 星期五 23:47]", "外婆的院子在哪里？\n"))
    call, last = events[-2:]
    assert isinstance(call, ToolCall)
    assert isinstance(last, Finished)
    assert (call.name, call.input) == ("recall", {"query": "外婆的院子在哪里？\n"})
    assert last.stop_reason == "tool_use"
    assert last.blocks[0] == {"type": "text", "text": text(events)}
    assert last.blocks[1]["input"] == call.input
    assert set(last.usage.values()) == {0}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_repeats_what_came_back_and_says_what_it_is(language: str) -> None:
    """One line says that there is no model; below it stands exactly what the tool gave back."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": NASTY}
    events = spoken(words("问"), {"role": "user", "content": [result]}, language=language)
    line, _, rest = text(events).partition("\n")
    assert rest == NASTY
    assert "鹦鹉" in line or "parrot" in line
    assert isinstance(events[-1], Finished)
    assert events[-1].stop_reason == "end_turn"


def test_pieces_are_small_and_never_cut_a_character() -> None:
    """No piece ends between a letter and its accent, inside a joined emoji, or between CR and LF."""
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": NASTY}]}
    pieces = [e.text for e in spoken({"role": "user", "content": [result]}) if isinstance(e, TextDelta)]
    assert len(pieces) > 5
    assert max(map(len, pieces)) <= 24
    for before, after in pairwise(pieces):
        assert not after.startswith(("\u0301", "\u200d", "\U0001f3fd"))
        assert not before.endswith(("\u200d", "\r"))
        assert not (before.endswith("🇨") and after.startswith("🇳"))


def test_without_the_tool_or_without_words_it_says_so() -> None:
    """Without recall, or with an image alone, it answers in one sentence and calls nothing."""
    image: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    alone = {"role": "user", "content": [{"type": "text", "text": "[2026]"}, image]}
    for events in (spoken(words("问"), tools=()), spoken(alone), spoken({"role": "user", "content": []})):
        assert "鹦鹉" in text(events)
        assert not any(isinstance(e, ToolCall) for e in events)


def test_is_deterministic_with_call_ids_that_differ_along_a_talk() -> None:
    """The same request gives the same events; a longer talk gives another call id."""
    first, longer = spoken(words("问")), spoken(words("问"), words("再问"))
    assert first == spoken(words("问"))
    assert isinstance(first[-2], ToolCall)
    assert isinstance(longer[-2], ToolCall)
    assert first[-2].id != longer[-2].id


def test_a_question_that_was_only_asked_before_is_not_its_answer() -> None:
    """A window that ends with the very question is passed over while there is another one."""
    call: Json = {"type": "tool_use", "id": "t", "name": "recall", "input": {"query": "喝哪种茶？"}}
    asked, told = "\n[今天 · conv_id=b]\n阿月: 喝哪种茶？\n", "\n[去年 · conv_id=a]\n阿月: 喝龙井\n"
    for windows, holds in ((asked + told, "龙井"), (told + asked, "龙井"), (asked, "哪种")):
        result = {"type": "tool_result", "tool_use_id": "t", "content": f"原话:\n{windows}"}
        said = text(
            spoken(words("问"), {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]})
        )
        assert holds in said
        assert said.count("conv_id=") == 1
