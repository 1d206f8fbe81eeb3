"""A turn: what is stored when, and what the listener is told."""

from typing import Any

import pytest

from paramecium.archive.names import conversation_id
from paramecium.chat.events import Ask, Done, Started, Text, Thinking, ToolStep
from paramecium.errors import BadId, BadInput, ConversationMissing, NotConfigured, ParameciumError, TooLarge
from paramecium.messages import dump_json
from paramecium.upstream.base import Finished, TextDelta
from tests.chat.fakes_chat import FakeRecall, House, calls, done, says, settings, started, text_of
from tests.fakes import PNG

NASTY = "你好\u2028👨‍👩‍👧\0 \ud83d \r\n\u0085"


def test_question_and_answer_are_stored_with_all_that_belongs_to_them() -> None:
    """Both entries stand in the archive with speaker, time, model, status, usage and head."""
    house = House()
    house.says(says("我在。", thinking="想", input_tokens=3))
    events = house.turn(Ask("turn-1", NASTY, client="网页"))
    question, answer = house.entries(done(events).conversation)
    assert (question.role, question.text, question.speaker, question.parent) == ("user", NASTY, "阿南", None)
    assert (question.at, question.given) == (
        "2026-06-12T23:47:00.000+08:00",
        {"text": "[2026-06-12 星期五 农历四月廿七 23:47]"},
    )
    assert question.source == {"client": "网页", "turn": "turn-1"}
    assert (answer.role, answer.text, answer.speaker, answer.parent) == ("assistant", "我在。", "小草", question.id)
    assert (answer.status, answer.model, answer.account) == ("complete", "m-1", "one")
    assert answer.usage == ({"input_tokens": 3, "model": "m-1", "stop_reason": "end_turn"},)
    assert answer.head == question.head
    assert answer.rounds[0]["content"][0] == {"type": "thinking", "thinking": "想", "signature": "s-想"}


def test_the_listener_is_told_in_order() -> None:
    """Started first, pieces as they come, Done last, with the ids under which all is stored."""
    house = House()
    house.says(says("我在。", thinking="想"))
    events = house.turn(Ask("turn-1", "在吗"))
    question, answer = house.entries("turn-1")
    assert events[0] == Started("turn-1", "turn-1", question.id)
    assert events[1:4] == [Thinking("想"), Text("我"), Text("在。")]
    assert done(events) == Done("turn-1", "turn-1", answer.id, "complete", answer.usage, "m-1", "one")


def test_the_question_stands_before_the_model_is_asked_and_the_answer_before_done() -> None:
    """When the model is asked the question is stored, and Done is told last of all."""
    house = House()
    seen: list[int] = []
    house.says([lambda: seen.append(len(house.entries("t"))), *says("好")])
    events = house.turn(Ask("t", "问"))
    assert seen == [1]
    assert len(house.entries("t")) == 2
    assert isinstance(events[0], Started)


def test_the_stored_text_is_exactly_what_was_streamed() -> None:
    """Texts of several rounds are joined by an empty line of their own, halves of characters made whole."""
    house = House()
    pieces = [TextDelta("看\ud83d"), TextDelta("\ude00"), TextDelta("\ud83d")]
    end = Finished(({"type": "text", "text": "看😀\ud83d"},), "end_turn")
    house.says(calls("雪", text="我找找。"), calls("雨", first="u"), [*pieces, end])
    events = house.turn(Ask("t", "问"))
    assert text_of(events) == "我找找。\n\n看😀\ud83d" == house.entries("t")[1].text
    assert Text("\n\n") in events
    assert [type(e) for e in events].count(Text) == 6


def test_a_second_turn_follows_the_path_and_a_named_parent_makes_a_sibling() -> None:
    """The next message follows the leaf; a parent that is named, or a new beginning, makes a branch."""
    house = House()
    house.says(says("甲"), says("乙"), says("丙"), says("丁"))
    conv = house.talk("t1", "一").conversation
    first = house.entries(conv)[1].id
    house.talk("t2", "二", conv)
    house.talk("t3", "三", conv, parent=first)
    house.talk("t4", "四", conv, parent="")
    parents = {e.text: e.parent for e in house.entries(conv)}
    assert parents["二"] == parents["三"] == first
    assert parents["四"] is None
    sent = [m["content"][-1]["text"] for m in house.upstream.requests[2].messages]
    assert sent == ["一", "甲", "三"]
    assert len(house.upstream.requests[3].messages) == 1


def test_images_are_stored_and_sent_again() -> None:
    """An image is stored once, stands between what is given and the words, and is sent with every later turn."""
    house = House()
    house.says(says("一只猫"), says("还是猫"))
    conv = house.talk("t1", "", images=(PNG,)).conversation
    house.talk("t2", "再看", conv)
    assert [b["type"] for b in house.upstream.requests[0].messages[0]["content"]] == ["text", "image"]
    assert house.upstream.requests[1].messages[0]["content"][1]["source"]["media_type"] == "image/png"
    house.store.delete(next(house.store.list("main/archive/images/")))
    house.chat = house.fresh()
    house.says(says("看不见了"))
    house.talk("t3", "现在呢", conv)
    assert "no longer" in house.upstream.requests[2].messages[0]["content"][1]["text"]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"text": ""}, BadInput),
        ({"text": " \n\u3000"}, BadInput),
        ({"text": "字" * 333_334}, TooLarge),
        ({"turn": "../x"}, BadId),
        ({"conversation": "A B"}, BadId),
        ({"conversation": "nobody"}, ConversationMissing),
        ({"conversation": "here", "parent": "nobody"}, ConversationMissing),
        ({"parent": "x"}, BadInput),
        ({"account": "nobody"}, BadInput),
        ({"model": "nothing"}, BadInput),
        ({"images": (b"<svg>",)}, BadInput),
        ({"images": (PNG,) * 21}, TooLarge),
        ({"images": (PNG + b"\0" * 5_000_000,)}, TooLarge),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_stored(more: dict[str, Any], error: type[ParameciumError]) -> None:
    """A question that cannot be asked raises, and the store holds what it held before."""
    house = House()
    house.says(says("好"))
    house.talk("here", "问")
    before = list(house.store.list(""))
    with pytest.raises(error):
        house.turn(Ask(**{"turn": "t", "text": "问", **more}))
    assert list(house.store.list("")) == before


def test_a_conversation_goes_by_the_id_it_was_imported_with_too() -> None:
    """Named by its original id, whatever form that has, the talk goes on in the conversation it became."""
    house = House()
    house.says(says("好"), says("也好"))
    ours = conversation_id("我的 对话/1")
    house.talk(ours, "问")
    house.turn(Ask("t", "再问", "我的 对话/1"))
    assert [e.text for e in house.entries(ours)][-2:] == ["再问", "也好"]


def test_an_account_without_key_is_told_before_anything_is_stored() -> None:
    """NotConfigured comes first, and nothing stands in the store."""
    house = House(settings=settings(accounts=[{"name": "c", "kind": "anthropic", "models": ["m"]}]))
    with pytest.raises(NotConfigured):
        house.turn(Ask("t", "问"))
    assert list(house.store.list("")) == []


def test_the_answer_of_a_parrot_is_marked_as_an_echo() -> None:
    """Its words are quotation; those of a model are not marked."""
    model = {"name": "two", "kind": "anthropic", "models": ["m"], "api_key": "k"}
    house = House(settings=settings(accounts=[settings().accounts[0].model_dump(), model]))
    house.says(says("引文"), says("好"))
    conv = house.talk("t1", "一", account="one").conversation
    house.talk("t2", "二", conv, account="two")
    assert [e.source.get("echo") for e in house.entries(conv)] == [None, True, None, None]


def test_another_account_and_model_are_used_when_named() -> None:
    """The named account's model is asked and stood by in the answer."""
    house = House()
    house.says([Finished((), "end_turn")])
    end = house.talk("t", "问", model="two-model")
    assert (end.account, end.model, end.status) == ("two", "two-model", "complete")
    assert house.upstream.requests[0].model == "two-model"


def test_memory_or_tools_off_or_no_memory_at_all_means_no_tool() -> None:
    """Without memory the request carries no tool, and a call all the same is answered with an error."""
    without: list[tuple[dict[str, Any], FakeRecall | None]]
    without = [({"memory": False}, FakeRecall()), ({"tools": False}, FakeRecall()), ({}, None)]
    for more, recall in without:
        house = House(recall=recall)
        house.says(calls("雪"), says("好"))
        events = house.turn(Ask("t", "问", **more))
        assert [r.tools for r in house.upstream.requests] == [(), ()]
        assert (done(events).status, recall.asked if recall else []) == ("complete", [])
        assert next(e for e in events if isinstance(e, ToolStep) and e.state == "result").content


def test_nothing_that_was_given_stands_in_the_text() -> None:
    """The clock line is kept beside the words, never in them, and rendered from the entry for ever (D7)."""
    house = House()
    house.says(says("好"), says("好"))
    conv = house.talk("t1", "早").conversation
    house.clock.forward(hours=30)
    house.talk("t2", "晚", conv)
    first, second = (r.messages[0]["content"][0]["text"] for r in house.upstream.requests)
    assert first == second == "[2026-06-12 星期五 农历四月廿七 23:47]"
    assert [e.text for e in house.entries(conv)] == ["早", "好", "晚", "好"]
    assert b"2026-06" not in dump_json(house.upstream.requests[1].system)


def test_ten_equal_turns_store_ten_questions_and_ten_answers() -> None:
    """What is recalled and given is never stored as words said: the count grows by two a turn (D7 103)."""
    house = House()
    conv: str | None = None
    for i in range(10):
        house.says(calls("雪", first=f"t{i}"), says("好"))
        conv = house.talk(f"t{i}", "还记得雪吗", conv).conversation
    assert conv is not None
    assert [e.text for e in house.entries(conv)] == ["还记得雪吗", "好"] * 10


def test_started_is_told_once_with_the_conversation() -> None:
    """A conversation that is named is the one told."""
    house = House()
    house.says(says("好"), says("好"))
    conv = house.talk("t1", "一").conversation
    assert started(house.turn(Ask("t2", "二", conv))).conversation == conv
