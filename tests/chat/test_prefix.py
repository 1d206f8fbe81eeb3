"""The prefix property over whole talks: what was sent once is sent the same ever after, and is always valid."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.chat.events import Ask
from paramecium.errors import UpstreamOverloaded, UpstreamTruncated
from paramecium.messages import Entry, Json
from paramecium.recall.tool import Asking
from paramecium.upstream.base import Finished
from tests.chat.checks import assert_continues, assert_valid
from tests.chat.fakes_chat import FakeRecall, Found, House, Piece, calls, done, says
from tests.fakes import PNG

OLD = ("外婆的院子里有一棵枇杷树。", "到了五月就黄了。🍊\u2028一地。", "嗯")
WORDS = st.sampled_from(["在吗", "还记得枇杷吗？", "\u3000好\r\n", "😀\ud83d", "a" * 30])
Draw = Callable[[st.SearchStrategy[Any]], Any]


class Quoting(FakeRecall):
    """Quotes an imported conversation, or says that nothing was found."""

    def answer(self, tool_input: Json, *, here: str | None = None, asking: Asking | None = None) -> Found:
        """Returns words with where they stand."""
        self.asked.append((tool_input, here))
        n = len(self.asked) % 4
        if n == 3:
            return Found((Piece("没有找到。"),))
        words = {"conversation": "x-old", "message": f"m-{n}", "n": n, "start": 0, "end": len(OLD[n])}
        return Found((Piece("2024-05-01 阿南：\n"), Piece(OLD[n], words), Piece("\n")))


def old() -> list[Entry]:
    """Returns the entries of an imported talk."""
    return [Entry(f"m-{i}", i, role="user", text=text) for i, text in enumerate(OLD)]


@st.composite
def rounds(draw: Draw, turn: int) -> list[list[Any]]:
    """Draws what the model does in one turn: some rounds of calls, then an end of some kind."""
    thinking = draw(st.sampled_from(["", "想"]))
    out: list[list[Any]] = []
    for i in range(draw(st.integers(0, 3))):
        queries = draw(st.lists(st.sampled_from(["枇杷", "雪"]), min_size=1, max_size=2))
        text = draw(st.sampled_from(["", "我找找。", "\n\n"]))
        out.append(calls(*queries, text=text, thinking=thinking, first=f"c{turn}-{i}-"))
    answer = says(draw(WORDS), thinking=thinking)
    unsigned = {"type": "thinking", "thinking": "没想完"}
    ends: list[list[Any]] = [
        answer,
        says("半句", "max_tokens"),
        [*answer[:2], UpstreamTruncated("断了")],
        [UpstreamOverloaded("忙")],
        [Finished((), "end_turn")],
        [Finished((unsigned, {"type": "text", "text": ""}), "end_turn")],
        [Finished(calls("雪", first=f"d{turn}-")[-1].blocks, "max_tokens")],
    ]
    return [*out, draw(st.sampled_from(ends))]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_request_continues_the_one_before(data: st.DataObject) -> None:
    """Over random talks with tools, thinking, images and broken answers, warm and cold, requests only ever grow."""
    house = House(recall=Quoting())
    house.archive.append("x-old", old(), 0)
    conv: str | None = None
    for turn in range(data.draw(st.integers(2, 4))):
        house.says(*data.draw(rounds(turn)))
        images = data.draw(st.sampled_from([(), (PNG,)]))
        conv = done(house.turn(Ask(f"t{turn}", data.draw(WORDS), conv, images=images))).conversation
        if data.draw(st.booleans()):
            house.chat = house.fresh()
    for request in house.upstream.requests:
        assert_valid(request)
    for before, after in pairwise(house.upstream.requests):
        assert_continues(before, after)


def test_recalled_words_are_stored_as_references_and_sent_word_for_word() -> None:
    """The archive keeps where quoted words stand; a cold process sends exactly what was sent before."""
    house = House(recall=Quoting())
    house.archive.append("x-old", old(), 0)
    house.says(calls("枇杷"), says("记得。"), says("是。"))
    conv = house.talk("t1", "还记得枇杷吗").conversation
    result = house.entries(conv)[1].rounds[1]["content"][0]
    assert OLD[1] not in str(result)
    assert result["content"]["parts"][1]["message"] == "m-1"
    house.chat = house.fresh()
    house.talk("t2", "嗯", conv)
    assert OLD[1] in house.upstream.requests[2].messages[2]["content"][0]["content"]
    assert_continues(house.upstream.requests[1], house.upstream.requests[2])


def test_a_service_that_uses_its_call_ids_again_is_quoted_rightly() -> None:
    """Two look-ups under one id keep their own words."""
    house = House(recall=Quoting())
    house.archive.append("x-old", old(), 0)
    house.says(calls("枇杷"), calls("嗯"), says("记得。"), says("是。"))
    conv = house.talk("t1", "还记得枇杷吗").conversation
    house.chat = house.fresh()
    house.talk("t2", "嗯", conv)
    told = [b["content"] for m in house.upstream.requests[3].messages for b in m["content"] if "tool_use_id" in b]
    assert [OLD[1] in told[0], OLD[2] in told[1]] == [True, True]
    assert_continues(house.upstream.requests[2], house.upstream.requests[3])


def test_another_account_gets_no_thinking_of_the_first() -> None:
    """Thinking is bound to who thought it: another account gets the words alone, the first one its own again."""
    house = House()
    house.says(says("甲", thinking="想"), says("乙", thinking="思"), says("丙"))
    conv = house.talk("t1", "一", account="one").conversation
    house.talk("t2", "二", conv, account="two")
    house.talk("t3", "三", conv, account="one")
    kinds = [
        [b["type"] for m in r.messages if m["role"] == "assistant" for b in m["content"]]
        for r in house.upstream.requests
    ]
    assert kinds == [[], ["text"], ["thinking", "text", "text"]]
