"""The prefix property while the profile is edited, days pass, facts change and menus come."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.chat.beside import Beside
from paramecium.chat.given import CLOCK_EVERY
from paramecium.memories.document_reader import DocumentReader
from paramecium.memories.facts import FACTS_MAX
from paramecium.messages import Entry, dump_json
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Request
from tests.chat.checks import assert_continues, assert_valid, bare, marks
from tests.chat.fakes_chat import LIFE, FakeOffering, House, calls, menu_of, says

NAMES = (
    *("profile/persona.md", "profile/user.md", "profile/relationship.md", "facts/茶.md", "facts/猫.md"),
    *("diary/2026-06-11.md", "diary/2026-06-12.md", "diary/2026-06-13.md", "memos/2026-06-12.md"),
)
TEXTS = (
    "你是{ai}。",
    "---\nkeywords: [茶]\n---\n白茶",
    "---\nresolved: true\n---\n过去了",
    "---\n坏",
    "\n",
    "雨" * 900,
)
EDITS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*TEXTS, ""]), max_size=4)
Steps = list[tuple[dict[str, str], dict[str, str], float, str, list[str], bool, bool]]
STEPS: st.SearchStrategy[Steps] = st.lists(
    st.tuples(
        EDITS,
        EDITS,
        st.sampled_from([0.01, 0.3, 30.0]),
        st.sampled_from(["在吗", "喝茶吗", "砚台呢"]),
        st.lists(st.sampled_from(["海", "雪", "雨"]), max_size=2),
        st.booleans(),
        st.booleans(),
    ),
    min_size=2,
    max_size=7,
)


def edit(house: House, files: dict[str, str]) -> Callable[[], None]:
    """Returns what writes files, or removes those that are to be empty."""

    def write() -> None:
        for name, text in files.items():
            house.store.delete(f"{LIFE}/{name}")
            if text:
                house.store.create(f"{LIFE}/{name}", text.encode())

    return write


def talked(steps: Steps) -> tuple[House, str]:
    """Returns a house in which a talk was had: edits before and in the middle of turns, days, menus, new processes."""
    store, offering = RamStore(), FakeOffering()
    house = House(store, beside=Beside(DocumentReader(store, LIFE), offering))
    conv: str | None = None
    for turn, (before, within, hours, words, titles, is_looking, is_new) in enumerate(steps):
        edit(house, before)()
        house.clock.forward(hours=hours)
        offering.queue = [menu_of(*titles)]
        looking: list[list[Any]] = [[edit(house, within), *calls("雪", thinking="想", first=f"c{turn}-")]]
        house.says(*(looking if is_looking else []), says("好", thinking="嗯"))
        conv = house.talk(f"t{turn}", words, conv).conversation
        if is_new:
            house.beside = Beside(DocumentReader(store, LIFE), offering)
            house.chat = house.fresh()
    assert conv
    return house, conv


def is_same_epoch(before: Request, after: Request) -> bool:
    """Tells whether both have the same head."""
    return dump_json([bare(before.system), before.tools]) == dump_json([bare(after.system), after.tools])


def given_of(request: Request) -> list[str]:
    """Returns what stands before the person's words in each message that has them."""
    said = [m["content"] for m in request.messages if m["role"] == "user" and m["content"][0]["type"] == "text"]
    return [content[0]["text"] if len(content) > 1 else "" for content in said]


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_within_an_epoch_requests_only_grow_and_given_is_never_rendered_anew(steps: Steps) -> None:
    """Whatever is written when, a turn keeps its head, an epoch its prefix, and each message what it was given."""
    house, conv = talked(steps)
    questions = [e for e in house.entries(conv) if e.role == "user"]
    heads = {e.head: [r for r in house.upstream.requests if len(given_of(r)) == i] for i, e in enumerate(questions, 1)}
    for request in house.upstream.requests:
        assert_valid(request)
        assert len(marks(request)) <= 4
        assert given_of(request) == [(e.given or {})["text"] for e in questions[: len(given_of(request))]]
    for before, after in pairwise(house.upstream.requests):
        if is_same_epoch(before, after):
            assert_continues(before, after)
    for requests in heads.values():
        assert all(is_same_epoch(requests[0], request) for request in requests)
    assert_thrifty(questions)


def assert_thrifty(questions: Sequence[Entry]) -> None:
    """Asserts that each day is told once, the time of ten minutes once, and no fact twice with the same text."""
    facts: dict[str, str] = {}
    told: Entry | None = None
    for entry in questions:
        given, at = entry.given or {}, datetime.fromisoformat(entry.at)
        if told is None or told.at[:10] != entry.at[:10]:
            assert given["text"].startswith(f"[{entry.at[:10]} 星期")
            told = entry
        elif at - datetime.fromisoformat(told.at) >= CLOCK_EVERY:
            assert given["text"].startswith(f"[{entry.at[11:16]}]")
            told = entry
        else:
            assert f"{entry.at[11:16]}]" not in given["text"]
        assert len(given.get("facts", ())) <= FACTS_MAX
        for fact in given.get("facts", ()):
            assert facts.get(fact["path"]) != fact["sha256"]
            facts[fact["path"]] = fact["sha256"]


def test_an_edit_of_the_profile_begins_an_epoch_with_the_next_turn() -> None:
    """Written while a turn is looking something up, it waits for the turn's end; a day that begins does the same."""
    edits = {"profile/user.md": TEXTS[0]}
    house, _ = talked([({}, edits, 0.0, "一", [], True, False), ({}, {}, 0.01, "二", [], False, False)])
    first, again, next_turn = house.upstream.requests
    assert [is_same_epoch(first, again), is_same_epoch(again, next_turn)] == [True, False]
    later, _ = talked([({"diary/2026-06-12.md": "雨"}, {}, h, "一", [], False, False) for h in (0.01, 0.02, 0.3)])
    one, two, three = later.upstream.requests
    assert [is_same_epoch(one, two), is_same_epoch(two, three)] == [True, False]


def test_other_branches_know_only_what_stands_on_them() -> None:
    """What was given on one branch is given again on another that never had it."""
    store = RamStore()
    house = House(store, beside=Beside(DocumentReader(store, LIFE)))
    edit(house, {"facts/茶.md": "只喝白茶。"})()
    house.says(*[says("好")] * 3)
    conv = house.talk("t1", "一").conversation
    house.talk("t2", "二", conv)
    house.talk("t3", "三", conv, parent="")
    given = [(e.given or {}) for e in house.entries(conv) if e.role == "user"]
    assert ["facts" in one for one in given] == [True, False, True]
    assert [one["text"].startswith("[2026-06-12") for one in given] == [True, False, True]
