"""The bytes that leave the house: each body begins with the one before, and never has more than four cache marks."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from paramecium import clock
from paramecium.chat.events import Ask
from paramecium.chat.prompt import render
from paramecium.messages import Entry, Json
from paramecium.recall.tool import Asking
from paramecium.upstream.anthropic import body
from paramecium.upstream.base import Request
from tests.chat.fakes_chat import FakeRecall, Found, House, Piece, calls, done, says, settings
from tests.fakes import PNG

MARK = b',"cache_control":{"type":"ephemeral","ttl":"1h"}'
# What a person writes about marks is words, and its quotes are escaped on the wire.
WORDS = '我说的"cache_control":{"type":"ephemeral"}是什么？\u2028🍊\ud83d'


def opened(sent: bytes) -> bytes:
    """Returns a body without its marks, up to where the next message would be appended."""
    assert sent.endswith(b"]}")
    return sent.replace(MARK, b"").removesuffix(b"]}")


def assert_grows(bodies: list[bytes]) -> None:
    """Asserts that each body is the one before and something behind it, byte for byte."""
    assert len(bodies) > 1
    for before, after in pairwise(bodies):
        assert opened(after).startswith(opened(before) + b",")
    for sent in bodies:
        assert 1 <= sent.count(b'"cache_control":') <= 4
        assert sent.count(b'"cache_control":') == sent.count(MARK)


def another_worker(house: House) -> None:
    """Lets a second process take the turn while the first one's transcript grows old."""
    other = house.fresh()
    house.chat, vars(house)["other"] = vars(house).get("other") or other, house.chat


def another_talk(house: House) -> None:
    """Lets the person speak of something else in between."""
    house.says(says("另一场"))
    house.talk(clock.new_id(), "别的事")


MEANWHILE: dict[str, Callable[[House], Any]] = {
    "nothing": lambda house: None,
    "fourteen seconds": lambda house: house.clock.forward(seconds=14),
    "midnight": lambda house: house.clock.forward(minutes=13),
    "a year": lambda house: house.clock.forward(days=366),
    "the clock set back": lambda house: house.clock.forward(days=-3),
    "a restart": lambda house: setattr(house, "chat", house.fresh()),
    "another worker": another_worker,
    "another talk": another_talk,
    "a hundred imported": lambda house: house.archive.append(
        "x-old", [Entry(f"m-{i}", i, role="user", text="旧话") for i in range(100)], 0
    ),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_a_body_is_the_one_before_and_more(name: str) -> None:
    """Whatever happens between two turns, the second body begins with the bytes of the first (D3 47-57)."""
    house = House()
    house.says(calls("雪", text="找找", thinking="想", first="a"), says("记得。\n\n", thinking="思"))
    conv = house.talk("t0", WORDS, images=(PNG,)).conversation
    sent = list(house.upstream.requests)
    for turn in range(1, 4):
        MEANWHILE[name](house)
        house.upstream.requests.clear()
        house.says(calls("雪", "雨", first=f"b{turn}"), says(WORDS))
        house.talk(f"t{turn}", "后来呢", conv)
        sent += house.upstream.requests
    assert len(sent) == 8
    assert_grows([body(request) for request in sent])


def test_the_clock_stands_behind_the_first_mark() -> None:
    """Nothing that changes from turn to turn stands in the head, so the first mark is read ever after (D3 47, 53)."""
    house = House()
    house.says(says("早"), says("晚"))
    conv = house.talk("t0", "早").conversation
    house.clock.forward(hours=30, seconds=1)
    house.talk("t1", "晚", conv)
    first, second = map(body, house.upstream.requests)
    head = first[: first.index(b'"messages":')]
    assert second.startswith(head)
    assert MARK in head
    assert not re.search(rb"20\d\d-\d\d", head)
    assert b"2026-06-14" in second


class Repeating(FakeRecall):
    """Finds the same words each time, with where they stand."""

    def answer(self, tool_input: Json, *, here: str | None = None, asking: Asking | None = None) -> Found:
        """Returns a quotation of the old talk."""
        words = {"conversation": "x-old", "message": "m-0", "n": 0, "start": 0, "end": 2}
        return Found((Piece("2024-05-01："), Piece("旧话", words)))


def test_what_was_recalled_once_is_sent_the_same_for_ever() -> None:
    """Recalled words come back in the same bytes a year later, from another process (D3 49: never rendered anew)."""
    house = House(recall=Repeating())
    house.archive.append("x-old", [Entry("m-0", 0, role="user", text="旧话")], 0)
    house.says(calls("旧"), says("有。"), says("是。"))
    conv = house.talk("t0", "还记得吗").conversation
    house.clock.forward(days=366)
    house.chat = house.fresh()
    house.talk("t1", "嗯", conv)
    bodies = [body(r) for r in house.upstream.requests]
    assert_grows(bodies)
    assert "2024-05-01：旧话".encode() in bodies[-1]


KINDS = ("user", "assistant", "image", "empty", "thinking", "call", "unanswered", "system")


def entry(kind: str, n: int) -> Entry:
    """Returns an entry of a kind that a transcript may hold."""
    use = {"type": "tool_use", "id": f"t{n}", "name": "recall", "input": {}}
    told = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "雪"}
    thought = {"type": "thinking", "thinking": "想", "signature": "s"}
    rounds: dict[str, list[Json]] = {
        "thinking": [{"role": "assistant", "content": [{"type": "text", "text": "答"}, thought]}],
        "call": [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}],
        "unanswered": [{"role": "assistant", "content": [thought, use]}],
        "empty": [{"role": "assistant", "content": [{"type": "text", "text": " "}]}],
    }
    match kind:
        case "user" | "image":
            images: tuple[Json, ...] = ({"sha256": "a", "media_type": "image/png"},) if kind == "image" else ()
            return Entry(f"m{n}", n, role="user", text=WORDS, images=images, head="h", given={"text": "[时间]"})
        case "system":
            return Entry(f"m{n}", n, role="system", text="系统")
    return Entry(f"m{n}", n, role="assistant", text="答", rounds=tuple(rounds.get(kind, ())), head="h", account="a")


@examples(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(KINDS), max_size=12), st.integers(0, 4), st.integers(0, 3))
def test_four_marks_at_most_whatever_is_said(kinds: list[str], systems: int, tools: int) -> None:
    """Over any transcript, any number of system blocks and tools, the bytes carry one to four marks (D3 41-45)."""
    head: Json = {
        "system": [{"type": "text", "text": f"系统{i}"} for i in range(systems)],
        "tools": [{"name": f"t{i}", "input_schema": {"type": "object"}} for i in range(tools)],
    }
    entries = [entry(kind, n) for n, kind in enumerate([*kinds, "user"])]
    said = render(head, "h", "a", entries, lambda _: "AAAA")
    sent = body(Request("m", said.system, said.tools, said.messages, 9))
    assert 1 <= sent.count(b'"cache_control":') <= 4
    assert sent.count(MARK) == sent.count(b'"cache_control":')
    told = json.loads(sent)["messages"]
    assert all(b["type"] != "thinking" or "cache_control" not in b for m in told for b in m["content"])
    assert "cache_control" in told[-1]["content"][-1]


def test_the_same_settings_in_another_house_send_the_same_head() -> None:
    """Two processes, and two lives with the same settings, share what is cached."""
    bodies = []
    for _ in range(2):
        house = House(settings=settings(language="zh"))
        house.says(says("好"))
        done(house.turn(Ask("t", "早")))
        bodies.append(body(house.upstream.requests[0]))
    assert bodies[0] == bodies[1]
