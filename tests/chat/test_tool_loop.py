"""The rounds of a turn: calls answered in order, bounded, and never in the way of an answer."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from paramecium.chat.events import Ask, ToolStep
from paramecium.messages import Json
from paramecium.upstream.base import Finished
from tests.chat.fakes_chat import FakeRecall, Found, House, Piece, calls, done, says, settings, text_of


def results(house: House, request: int) -> list[Json]:
    """Returns the tool results a request ends with, without cache marks."""
    content = house.upstream.requests[request].messages[-1]["content"]
    return [{k: v for k, v in b.items() if k != "cache_control"} for b in content]


def test_parallel_calls_are_answered_in_order_in_one_message() -> None:
    """All calls of a round find their results in the next message, in their order, and nothing else is there."""
    house = House()
    house.says(calls("雪", "雨", "风", text="找找", thinking="想"), says("好"))
    events = house.turn(Ask("t", "问"))
    assert results(house, 1) == [
        {"type": "tool_result", "tool_use_id": f"t{i}", "content": f"找到：{q}"} for i, q in enumerate("雪雨风")
    ]
    assert [(e.id, e.state) for e in events if isinstance(e, ToolStep)] == [
        *((f"t{i}", "call") for i in range(3)),
        *((f"t{i}", "result") for i in range(3)),
    ]
    assert house.recall is not None
    assert [here for _, here in house.recall.asked] == ["t"] * 3


def test_the_round_before_goes_back_byte_for_byte() -> None:
    """Thinking with its signature, text and calls stand in the second request exactly as they came (D4 63)."""
    house = House()
    script = calls("雪", text="找找", thinking="想")
    house.says(script, says("好"))
    house.turn(Ask("t", "问"))
    assert house.upstream.requests[1].messages[1] == {"role": "assistant", "content": list(script[-1].blocks)}
    assert house.upstream.requests[0].tools == house.upstream.requests[1].tools


def test_identical_calls_are_told_so_and_not_run() -> None:
    """The same call, in the same round or a later one, is not run again; another order of keys is the same call."""
    house = House()
    house.says(calls("雪", "雪"), calls("雪", first="u"), says("好"))
    house.turn(Ask("t", "问"))
    assert house.recall is not None
    assert len(house.recall.asked) == 1
    assert [r.get("is_error", False) for r in results(house, 1)] == [False, True]
    assert "已经这样调用过" in results(house, 2)[0]["content"]


def test_ten_rounds_at_most_and_the_last_is_told_to_answer() -> None:
    """With ever new queries (D7 105) the ninth round's calls are not run but told to answer; tools stay in place."""
    house = House()
    house.says(*(calls(f"雪{i}", first=f"a{i}-") for i in range(9)), says("没找到更多。"))
    events = house.turn(Ask("t", "问"))
    assert house.recall is not None
    assert len(house.recall.asked) == 8
    assert "现在回答" in results(house, 9)[0]["content"]
    assert (done(events).status, text_of(events)) == ("complete", "没找到更多。")
    assert {len(r.tools) for r in house.upstream.requests} == {1}


def test_a_model_that_never_answers_ends_incomplete_with_every_call_answered() -> None:
    """When the tenth round calls too, the turn ends as incomplete, and no call is left without result."""
    house = House()
    house.says(*(calls(f"雪{i}", first=f"a{i}-") for i in range(10)))
    assert done(house.turn(Ask("t", "问"))).status == "incomplete"
    stored = house.entries("t")[1].rounds
    assert [m["role"] for m in stored] == ["assistant", "user"] * 10


def test_an_unknown_tool_is_told_what_there_is() -> None:
    """A name nobody knows is an error result that names the known tools, and the turn goes on."""
    house = House()
    house.says(calls("x", name="exec"), says("好"))
    assert done(house.turn(Ask("t", "问"))).status == "complete"
    (result,) = results(house, 1)
    assert result["is_error"]
    assert "exec" in result["content"]
    assert "recall" in result["content"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_failing_memory_never_stops_a_chat(language: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the memory raises becomes an error result and a line in the log."""
    house = House(settings=settings(language=language), recall=FakeRecall(KeyError("index"), MemoryError()))
    house.says(calls("雪", "雨"), says("好"))
    assert done(house.turn(Ask("t", "问"))).status == "complete"
    assert [r["is_error"] for r in results(house, 1)] == [True, True]
    assert "recall failed" in caplog.text


def test_a_memory_that_hangs_is_given_up() -> None:
    """A recall that does not come back within the limit is an error result; the next call is run."""
    free = threading.Event()

    def hang() -> Found:
        free.wait(60)
        return Found((Piece("zu spät"),))

    house = House(recall=FakeRecall(hang), tool_timeout_s=0.5)
    house.says([*calls("雪", "雨")], [free.set, *says("好")])
    assert done(house.turn(Ask("t", "问"))).status == "complete"
    first, second = results(house, 1)
    assert first["is_error"]
    assert second["content"] == "找到：雨"


def test_an_error_of_recall_is_marked() -> None:
    """What recall itself calls an error is passed on as one."""
    house = House(recall=FakeRecall(Found((Piece("日期看不懂"),), is_error=True)))
    house.says(calls("雪"), says("好"))
    house.turn(Ask("t", "问"))
    assert results(house, 1)[0] == {
        "type": "tool_result",
        "tool_use_id": "t0",
        "content": "日期看不懂",
        "is_error": True,
    }


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("end_turn", "complete"),
        ("stop_sequence", "complete"),
        ("refusal", "complete"),
        ("tool_use", "complete"),
        ("max_tokens", "incomplete"),
        ("model_context_window_exceeded", "incomplete"),
        ("other", "incomplete"),
        ("", "incomplete"),
    ],
)
def test_how_a_call_ended_is_how_the_turn_ended(reason: str, status: str) -> None:
    """Known ends are complete, cut ones and unknown ones incomplete (D1 27); the reason is noted in the usage."""
    house = House()
    house.says(says("半句", reason))
    end = done(house.turn(Ask("t", "问")))
    assert (end.status, end.usage[0]["stop_reason"]) == (status, reason)
    assert house.entries("t")[1].status == status


@pytest.mark.parametrize("reason", ["max_tokens", "refusal"])
def test_calls_of_a_cut_or_refused_round_are_not_run(reason: str) -> None:
    """A call in a round that was cut or refused is not run, and the next turn is still a valid request."""
    house = House()
    *told, end = calls("雪", text="我")
    house.says([*told, Finished(end.blocks, reason)], says("好"))
    house.talk("t", "问")
    house.clock.forward(minutes=10)
    house.talk("u", "再问", "t")
    assert house.recall is not None
    assert house.recall.asked == []
    last = house.upstream.requests[1].messages[-1]["content"]
    assert [b["type"] for b in last] == ["tool_result", "text", "text"]
    assert last[0]["is_error"]


def test_a_paused_turn_is_continued_with_what_came() -> None:
    """pause_turn sends the assistant's content back as it is, without a word of ours."""
    house = House()
    server: dict[str, Any] = {"type": "server_tool_use", "id": "s", "name": "web", "input": {}}
    house.says([Finished((server,), "pause_turn")], says("好"))
    assert done(house.turn(Ask("t", "问"))).status == "complete"
    last = house.upstream.requests[1].messages[-1]
    assert last["role"] == "assistant"
    assert {k: v for k, v in last["content"][0].items() if k != "cache_control"} == server


def test_an_empty_answer_after_tools_is_complete_and_the_talk_goes_on() -> None:
    """An end without content is stored as it is, and the next turn sends no empty block (D4 79)."""
    house = House()
    house.says(calls("雪"), [Finished((), "end_turn")], says("好"))
    assert house.talk("t", "问").status == "complete"
    house.talk("u", "喂", "t")
    roles = [m["role"] for m in house.upstream.requests[2].messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]


def test_every_round_keeps_what_it_used() -> None:
    """The cache counts of each round stand in the answer and are told, none in another's place (D3 59)."""
    house = House()
    *asked, end = calls("雪", text="找找")
    counts = {"input_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 40}
    house.says([*asked, replace(end, usage=counts)], says("好", cache_read_input_tokens=140, output_tokens=2))
    told = done(house.turn(Ask("t", "问")))
    kept = [{k: v for k, v in one.items() if k.endswith("_tokens")} for one in told.usage]
    assert kept == [counts, {"cache_read_input_tokens": 140, "output_tokens": 2}]
    assert house.entries("t")[1].usage == told.usage
