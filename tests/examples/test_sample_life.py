"""Knows what the sample life and its questions promise to strangers who open them first.

Refuses to know how a life is imported or searched. Invariant: the files are read as bytes and split on LF alone,
because one message carries a U+2028 that other splitters would take for the end of a line.
"""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
DECISION = "我决定以后奶茶就喝乌龙轻乳茶了"
KINDS = {"paraphrase", "keyword", "english", "date"}
SPEAKERS = {"user": "林夏", "assistant": "小满"}
Record = dict[str, Any]


def read_records(name: str) -> list[Record]:
    """Returns the JSON objects of a file of examples, one a line, in order."""
    lines = (EXAMPLES / name).read_bytes().split(b"\n")
    assert lines.pop() == b"", f"{name} must end with a line feed"
    return [json.loads(line.decode("utf-8")) for line in lines]


def read_life() -> list[Record]:
    """Returns the conversations of the sample life."""
    return read_records("sample_life.jsonl")


def read_messages() -> list[Record]:
    """Returns every message of the life in the order of the file."""
    return [message for conversation in read_life() for message in conversation["messages"]]


def gold_indexes(question: Record) -> list[int]:
    """Returns the places of the answering messages in their conversation, from 0."""
    index = question["message_index"]
    return index if isinstance(index, list) else [index]


def gold_texts(question: Record) -> list[str]:
    """Returns the words of the answering messages."""
    messages = next(c["messages"] for c in read_life() if c["id"] == question["conversation"])
    return [messages[index]["content"] for index in gold_indexes(question)]


def character_pairs(text: str) -> set[str]:
    """Returns every two Chinese characters that stand side by side in the text."""
    runs = re.findall(r"[\u4e00-\u9fff]+", text)
    return {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def parent_of(messages: list[Record], index: int) -> Record | None:
    """Returns the message before this one on its path: the named parent, or without ids the one above."""
    message = messages[index]
    if "id" not in message:
        return messages[index - 1] if index else None
    earlier = {known["id"]: known for known in messages[:index]}
    return earlier[message["parent"]] if message["parent"] is not None else None


def test_every_conversation_has_its_fields() -> None:
    """Each line is one conversation of titled, spoken, dated messages."""
    for conversation in read_life():
        assert set(conversation) == {"id", "title", "messages"}
        assert re.fullmatch(r"[a-z0-9-]{1,64}", conversation["id"])
        assert conversation["title"]
        for message in conversation["messages"]:
            assert set(message) - {"id", "parent"} == {"role", "content", "at", "speaker"}
            assert message["speaker"] == SPEAKERS[message["role"]]
            assert message["content"]


def test_the_life_has_the_promised_size() -> None:
    """The life holds about 200 messages in 14 to 18 conversations from March to August 2026."""
    messages = read_messages()
    assert 14 <= len(read_life()) <= 18
    assert 180 <= len(messages) <= 240
    assert {message["at"][:7] for message in messages} == {f"2026-{month:02d}" for month in range(3, 9)}


def test_ids_are_unique() -> None:
    """No conversation id and no message id is used twice in the whole life."""
    conversations = [conversation["id"] for conversation in read_life()]
    messages = [message["id"] for message in read_messages() if "id" in message]
    assert len(conversations) == len(set(conversations))
    assert len(messages) == len(set(messages))
    assert messages


def test_a_conversation_has_all_its_ids_or_none() -> None:
    """Both shapes appear: conversations with id and parent on every message, and conversations with neither."""
    shapes = [{("id" in m, "parent" in m) for m in conversation["messages"]} for conversation in read_life()]
    assert all(shape in ({(True, True)}, {(False, False)}) for shape in shapes)
    assert {(True, True)} in shapes
    assert {(False, False)} in shapes


def test_parents_are_known_and_only_the_first_has_none() -> None:
    """Every parent is an earlier message of the same conversation, and only the first message lacks one."""
    for conversation in read_life():
        messages = conversation["messages"]
        orphans = [index for index in range(len(messages)) if parent_of(messages, index) is None]
        assert orphans == [0], conversation["id"]


def test_times_carry_the_offset_and_never_run_backwards() -> None:
    """Every time is at +08:00 and none is before its parent's or before that of the message above it."""
    for conversation in read_life():
        messages = conversation["messages"]
        times = [datetime.fromisoformat(message["at"]) for message in messages]
        assert {time.utcoffset() for time in times} == {timedelta(hours=8)}
        assert times == sorted(times), conversation["id"]
        for index, time in enumerate(times):
            parent = parent_of(messages, index)
            assert parent is None or datetime.fromisoformat(parent["at"]) <= time


def test_conversations_stand_in_the_order_they_began() -> None:
    """The lines of the life follow one another in time."""
    begun = [datetime.fromisoformat(conversation["messages"][0]["at"]) for conversation in read_life()]
    assert begun == sorted(begun)


def test_the_decision_is_said_exactly_once() -> None:
    """The oolong sentence is one whole message by 林夏 at 23:47 on 12 June, and no other message contains it."""
    said = [message for message in read_messages() if DECISION in message["content"]]
    assert [message["content"] for message in said] == [DECISION]
    assert (said[0]["role"], said[0]["speaker"], said[0]["at"]) == ("user", "林夏", "2026-06-12T23:47:00+08:00")


def test_one_message_was_edited() -> None:
    """Exactly one parent has two children, both said by the person in different words."""
    children: dict[str, list[Record]] = {}
    for message in read_messages():
        if message.get("parent") is not None:
            children.setdefault(message["parent"], []).append(message)
    siblings = [group for group in children.values() if len(group) > 1]
    assert [len(group) for group in siblings] == [2]
    assert {message["role"] for message in siblings[0]} == {"user"}
    assert len({message["content"] for message in siblings[0]}) == 2


def test_the_quirks_of_real_text_are_there() -> None:
    """The life holds the marks that careless code loses: joined emoji, U+2028, a trailing line feed and the like."""
    texts = [message["content"] for message in read_messages()]
    whole = "\x00".join(texts)
    for quirk in (
        "\u2028",
        "👨\u200d👩\u200d👧\u200d👦",
        "🐈\u200d⬛",
        "  ",
        "ＯＫ",
        "——",
        "```python",
        "- [ ] ",
        "奶茶",
    ):
        assert quirk in whole, repr(quirk)
    assert [text for text in texts if text.endswith("\n")] == ["勺子断了。\n"]
    assert max(len(text) for text in texts) > 400
    assert {"嗯", "晚安"} <= set(texts)


def test_questions_point_at_existing_messages() -> None:
    """Each of the 40 questions is different, has a known kind, and names messages that are there."""
    sizes = {conversation["id"]: len(conversation["messages"]) for conversation in read_life()}
    questions = read_records("questions.jsonl")
    assert len({question["q"] for question in questions}) == len(questions) == 40
    for question in questions:
        assert set(question) == {"q", "conversation", "message_index", "kind"}
        indexes = gold_indexes(question)
        assert indexes == sorted(set(indexes))
        assert indexes
        assert all(0 <= index < sizes[question["conversation"]] for index in indexes), question["q"]
    assert {question["kind"] for question in questions} == KINDS


def test_paraphrases_share_no_words_with_their_answers() -> None:
    """At least 25 questions are paraphrases, and none shares two adjacent Chinese characters with its answer."""
    questions = read_records("questions.jsonl")
    shared = {q["q"]: character_pairs(q["q"]) & character_pairs("\n".join(gold_texts(q))) for q in questions}
    assert any(shared[q["q"]] for q in questions if q["kind"] == "keyword")
    paraphrases = [q["q"] for q in questions if q["kind"] == "paraphrase"]
    assert len(paraphrases) >= 25
    assert {q: shared[q] for q in paraphrases if shared[q]} == {}
