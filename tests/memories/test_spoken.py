"""What notes may stand on: words that the person or the AI said, and nothing else."""

import pytest
from hypothesis import given

from paramecium.memories.spoken import Spoken, spoken_from
from paramecium.messages import Entry
from tests.index.fakes_life import ANY_TEXT

AT = "2026-06-12T23:47:00.000+08:00"
TEA = Entry("m1", 4, role="user", speaker="小明", at=AT, text="我最喜欢的还是龙井")


def test_a_message_is_words_that_were_said() -> None:
    """Every field is the entry's own."""
    assert spoken_from("c1", TEA) == Spoken("c1", "m1", 4, "user", "小明", AT, "我最喜欢的还是龙井")


@given(ANY_TEXT.filter(str.strip))
def test_no_character_is_changed(text: str) -> None:
    """The words come through as they were said, whatever stands in them."""
    spoken = spoken_from("c1", Entry("m1", 0, role="assistant", text=text))
    assert spoken is not None
    assert spoken.text == text


@pytest.mark.parametrize(
    "entry",
    [
        Entry("m1", 0, role="system", text="你是小草"),
        Entry("m1", 0, role="user", text="我说过：我最喜欢的还是龙井", source={"echo": True}),
        Entry("m1", 0, kind="tombstone", role="user"),
        Entry("m1", 0, kind="rename", text="龙井"),
        Entry("m1", 0, role="user", text="", images=({"key": "archive/images/x.png"},)),
        Entry("m1", 0, role="user", text=" \n\u3000"),
    ],
    ids=["system", "echo", "tombstone", "mark", "picture alone", "blank"],
)
def test_what_nobody_said_is_none(entry: Entry) -> None:
    """System messages, echoes, tombstones, marks, and messages without a word are nothing to quote."""
    assert spoken_from("c1", entry) is None


def test_what_was_injected_is_not_said() -> None:
    """What was placed beside a message, and the rounds of an answer, are no words of it."""
    given_beside = Entry("m1", 0, role="user", text="今天喝什么", given={"menu": "06-12 他最喜欢的是龙井"})
    answer = Entry("m2", 1, role="assistant", text="龙井吧", rounds=({"role": "user", "content": "工具的结果"},))
    texts = [spoken.text for entry in (given_beside, answer) if (spoken := spoken_from("c1", entry))]
    assert texts == ["今天喝什么", "龙井吧"]
