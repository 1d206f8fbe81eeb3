"""Words are handed to a small model between marks they do not hold; of its answer an array is read or nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.memories.questions import Answer, first_array, mark_for, stamp
from tests.index.fakes_life import ANY_TEXT


@given(st.lists(ANY_TEXT, max_size=4))
def test_a_mark_occurs_in_no_text(texts: list[str]) -> None:
    """Nor in one that holds the mark it would have got without it."""
    mark = mark_for(texts)
    assert not any(mark in text for text in texts)
    assert mark_for(texts) == mark
    again = mark_for([*texts, f"到此为止 {mark}"])
    assert again not in mark
    assert not any(again in text for text in [*texts, mark])


@pytest.mark.parametrize(("at", "shown"), [
    ("2026-06-12T23:47:05.123+08:00", "2026-06-12 23:47"), ("2026-06-12T23:47:05Z", "2026-06-12 23:47"),
    ("2026-06-12", "2026-06-12 00:00"), ("", ""), ("昨天", ""),
])  # fmt: skip
def test_a_moment_is_shown_to_the_minute(at: str, shown: str) -> None:
    """In its own offset; what is no moment is not shown."""
    assert stamp(at) == shown


@pytest.mark.parametrize(("answer", "items", "fault"), [
    ('[{"a": 1}]', ({"a": 1},), ""),
    ("[]", (), ""),
    (' \n\ufeff[1, "[", "]"] \n', (1, "[", "]"), ""),
    ('```json\n[{"a": 1}]\n```', ({"a": 1},), "prose"),
    ('好的，这是结果：[{"a": 1}] 还需要什么吗？[2]', ({"a": 1},), "prose"),
    ('{"items": [1, 2]}', (1, 2), "prose"),
    ("[[1], [2]]", ([1], [2]), ""),
    ('[{"a": 1, "a": 2}]', ({"a": 2},), ""),
    ('["\\ud83d", "\\ud83d\\ude00"]', ("\ud83d", "😀"), ""),
    ("没有值得记的。", (), "prose"), ("", (), "prose"), ('{"a": 1}', (), "prose"), ("null", (), "prose"),
    ("[", (), "half_json"), ('[{"a": 1}, {"a": "没有', (), "half_json"), ('[{"a": 1}, {"a": "]"', (), "half_json"),
    ('[{"a": "\\u12', (), "half_json"), ('[{"a": tr', (), "half_json"), ('["a\\', (), "half_json"),
    ("<think>先看[第一条]</think>[1]", (), "bad_json"), ("[{'a': 1}]", (), "bad_json"), ("[1, 2,]", (), "bad_json"),
    ('["换\n行"]', (), "bad_json"), ('[{"a": "他说"好""}]', (), "bad_json"), ("[...]", (), "bad_json"),
    (f"[{'9' * 5000}]", (), "bad_json"), ("[" * 100_000, (), "half_json"),
    ("[" * 100_000 + "]" * 100_000, (), "bad_json"),
], ids=lambda value: str(value)[:24])  # fmt: skip
def test_the_first_array_is_read_or_nothing(answer: str, items: tuple[Any, ...], fault: str) -> None:
    """It begins at the first bracket; what stands around it is told, and what is no array has no items."""
    assert first_array(answer) == Answer(items, fault)
    assert first_array(answer).is_whole is (fault in ("", "prose"))


def test_numbers_that_json_does_not_have_are_read() -> None:
    """NaN, infinity and what is too large come as numbers: no item falls for a field nobody reads."""
    items = first_array('[NaN, Infinity, 1e999, {"content": "好"}]').items
    assert items[0] != items[0]
    assert items[1:] == (float("inf"), float("inf"), {"content": "好"})


@given(ANY_TEXT)
def test_any_answer_can_be_read(answer: str) -> None:
    """Whatever a model writes, the answer is an array's items or a fault."""
    assert first_array("[" + answer).fault in ("", "prose", "half_json", "bad_json")
