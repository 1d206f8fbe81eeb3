"""Rendering stored entries: order, epochs, validity and cache marks."""

from typing import Any

from paramecium.chat.prompt import IMAGE_GONE, NO_RESULT, SILENCE, Rendered, render
from paramecium.messages import Entry, Json
from paramecium.upstream.base import Request
from tests.chat.checks import assert_valid, bare, marks

HEAD: Json = {"v": 1, "system": [{"type": "text", "text": "你是小草"}], "tools": [{"name": "recall"}]}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "s"}
CALL = {"type": "tool_use", "id": "t", "name": "recall", "input": {}}
IMAGE: Json = {"sha256": "ab", "ext": "png", "media_type": "image/png", "bytes": 1}


def asked(text: str, **more: Any) -> Entry:
    """Returns a question of a live turn."""
    return Entry("q" + text, 0, role="user", text=text, **{"head": "h", "given": {"text": "[钟]"}, **more})


def imported(role: Any, text: str) -> Entry:
    """Returns an entry that was imported."""
    return Entry("i" + text, 0, role=role, text=text)


def answered(*blocks: Json, **more: Any) -> Entry:
    """Returns an answer of one round."""
    rounds = ({"role": "assistant", "content": list(blocks)},)
    return Entry("a", 0, role="assistant", **{"head": "h", "account": "one", "rounds": rounds, **more})


def words(text: str) -> Json:
    """Returns a text block."""
    return {"type": "text", "text": text}


def rendered(*entries: Entry, head: Json = HEAD, data: str | None = "aW1n") -> list[tuple[str, list[Json]]]:
    """Returns role and blocks of each message, without marks, after checking that they are valid."""
    said: Rendered = render(head, "h", "one", entries, lambda _: data)
    assert_valid(Request("m", said.system, said.tools, said.messages, 1))
    return [(m["role"], bare(m["content"])) for m in said.messages]


def test_a_question_is_what_is_given_then_images_then_words() -> None:
    """The clock line comes first, then the images, then the person's own words."""
    ((_, content),) = rendered(asked("看", images=(IMAGE,)))
    source = {"type": "base64", "media_type": "image/png", "data": "aW1n"}
    assert content == [words("[钟]"), {"type": "image", "source": source}, words("看")]


def test_an_image_that_is_gone_leaves_a_sentence() -> None:
    """Bytes that cannot be read any more are told, and the question stays."""
    ((_, content),) = rendered(asked("看", images=(IMAGE,)), data=None)
    assert content == [words("[钟]"), words(IMAGE_GONE), words("看")]


def test_answers_of_this_epoch_are_verbatim_and_older_ones_lose_their_thinking() -> None:
    """Thinking stays within its epoch only; text stays always."""
    same, older = answered(THOUGHT, words("甲")), answered(THOUGHT, words("甲"), head="old")
    assert rendered(asked("一"), same, asked("二"))[1][1] == [THOUGHT, words("甲")]
    assert rendered(asked("一"), older, asked("二"))[1][1] == [words("甲")]


def test_unsigned_thinking_and_empty_text_are_never_sent() -> None:
    """A thought without signature (D4 65), empty and blank texts (D4 79) stay in the archive."""
    blocks = ({"type": "thinking", "thinking": "想", "signature": ""}, words(""), words(" \n"), words("甲"))
    assert rendered(asked("一"), answered(*blocks), asked("二"))[1][1] == [words("甲")]


def test_a_call_nobody_answered_gets_an_error_result() -> None:
    """An interrupted call (D4 73) is answered in the next message, before the next question."""
    messages = rendered(asked("一"), answered(words("找"), CALL), asked("二"))
    result = {"type": "tool_result", "tool_use_id": "t", "content": NO_RESULT, "is_error": True}
    assert messages[2] == ("user", [result, words("[钟]"), words("二")])


def test_a_question_without_answer_is_followed_by_silence() -> None:
    """Two questions of ours in a row stay two messages, as they were sent; an answer that holds nothing is silence."""
    assert [r for r, _ in rendered(asked("一"), asked("二"))] == ["user", "assistant", "user"]
    assert rendered(asked("一"), answered(), asked("二"))[1] == ("assistant", [words(SILENCE)])


def test_imported_neighbours_of_one_role_are_joined() -> None:
    """Imported messages become plain text, neighbours of one role one message with its blocks in order."""
    entries = [imported("user", "一"), imported("user", "二"), imported("assistant", "三"), imported("assistant", "四")]
    assert rendered(*entries, imported("user", "五"), asked("六")) == [
        ("user", [words("一"), words("二")]),
        ("assistant", [words("三"), words("四")]),
        ("user", [words("五"), words("[钟]"), words("六")]),
    ]


def test_a_talk_the_ai_began_gets_a_silent_user_first() -> None:
    """The first message is the user's, whatever was imported."""
    messages = rendered(imported("assistant", "你好"), asked("嗯"))
    assert messages[0] == ("user", [words(SILENCE)])


def test_messages_of_the_role_system_are_left_out() -> None:
    """What an export calls system is no part of the talk."""
    assert len(rendered(imported("system", "规则"), asked("嗯"))) == 1


def test_marks_stand_on_system_previous_end_and_end() -> None:
    """Four marks: first and last system block, the end of the previous request, the end of this one."""
    head = {**HEAD, "system": [words("一"), words("二"), words("三")]}
    said = render(head, "h", "one", (asked("甲"), answered(words("乙")), asked("丙")), lambda _: None)
    request = Request("m", said.system, said.tools, said.messages, 1)
    assert marks(request) == [("system", 0, 0), ("system", 0, 2), ("messages", 0, 1), ("messages", 2, 1)]
    assert all(b["cache_control"] == {"type": "ephemeral", "ttl": "1h"} for b in (said.system[0], said.system[2]))


def test_rendering_changes_nothing_that_is_stored() -> None:
    """Marks go on copies: the entries are as they were."""
    answer = answered(words("乙"))
    before = repr(answer)
    render(HEAD, "h", "one", (asked("甲"), answer, asked("丙")), lambda _: None)
    assert repr(answer) == before
    assert "cache_control" not in repr(HEAD)
