"""What is placed before and beside the words of a turn: decided once, from the documents and the menu."""

import logging
from typing import Any

import numpy as np
import pytest

from paramecium.chat.beside import Beside, occasion_of
from paramecium.chat.events import Ask
from paramecium.chat.known import Known
from paramecium.errors import StoreUnavailable
from paramecium.memories.document_reader import DocumentReader
from paramecium.memories.documents import Documents
from paramecium.messages import Entry
from paramecium.recall.menu import Menu
from paramecium.store.ram import RamStore
from tests.chat.checks import said
from tests.chat.fakes_chat import LIFE, FakeOffering, Found, House, Piece, calls, done, menu_of, says
from tests.fakes import WatchedStore

FILES = {
    "profile/persona.md": "你叫{ai}。",
    "profile/user.md": "{person}爱雨。",
    "facts/茶.md": "---\nkeywords: [茶]\n---\n只喝白茶。",
    "diary/2026-06-11.md": "砚台胖了。",
}


def written(house: House, name: str, text: str) -> None:
    """Writes a document, whatever stood there."""
    house.store.delete(f"{LIFE}/{name}")
    house.store.create(f"{LIFE}/{name}", text.encode())


def living(*menus: Menu | Exception, store: RamStore | WatchedStore | None = None) -> tuple[House, FakeOffering]:
    """Returns a house with documents and scripted menus."""
    store, offering = store or RamStore(), FakeOffering(*menus)
    house = House(store, beside=Beside(DocumentReader(store, LIFE), offering))
    for name, text in FILES.items():
        written(house, name, text)
    return house, offering


def system(house: House) -> list[str]:
    """Returns the system blocks of the last request."""
    return [block["text"] for block in house.upstream.requests[-1].system]


def test_documents_and_menu_stand_in_their_places() -> None:
    """Persona and profile first, the last two days last; facts and menu beside the words, and in the entry."""
    house, _ = living(menu_of("去看海"))
    house.says(says("好"))
    conv = house.talk("t1", "喝茶吗").conversation
    first, last = system(house)
    assert first.startswith("你叫小草。")
    assert "<user_profile>\n{person}爱雨。\n</user_profile>" in first
    assert last == "<recent_days>\n[2026-06-11 日记]\n砚台胖了。\n</recent_days>"
    given = house.entries(conv)[0].given
    assert given is not None
    assert given["text"].split("\n")[1:] == ["[事实 茶] 只喝白茶。", "05-01 去看海"]
    assert (given["menu"], given["facts"][0]["path"]) == ([{"id": "m-去看海", "lanes": ["message"]}], "facts/茶.md")
    assert house.upstream.requests[0].messages[0]["content"][0]["text"] == given["text"]


def test_without_memory_the_persona_alone_stands() -> None:
    """No profile, no days, no facts and no menu; nobody is asked for one."""
    house, offering = living(menu_of("去看海"))
    house.says(says("好"))
    conv = house.talk("t1", "喝茶吗", memory=False).conversation
    (only,) = system(house)
    assert only.startswith("你叫小草。")
    assert "爱雨" not in only
    assert house.entries(conv)[0].given == {"text": "[2026-06-12 星期五 农历四月廿七 23:47]"}
    assert offering.occasions == []


def test_without_memory_nothing_that_was_opened_before_is_sent() -> None:
    """A talk that looked things up goes on without calls and results, which need a tool; who may look gets them."""
    house, _ = living()
    house.says(calls("海", text="找找。"), says("记得。"), says("嗯"), says("好"))
    conv = house.talk("t1", "问").conversation
    house.talk("t2", "再问", conv, memory=False)
    house.talk("t3", "还问", conv)
    kinds = [[b["type"] for m in r.messages for b in m["content"]] for r in house.upstream.requests]
    assert [bool(r.tools) for r in house.upstream.requests] == [True, True, False, True]
    assert ["tool_result" in k for k in kinds] == [False, True, False, True]
    assert "记得。" in str(house.upstream.requests[2].messages)
    looking, again = said(house.upstream.requests[1].messages), said(house.upstream.requests[3].messages)
    assert again[: len(looking)] == looking


def test_without_a_tool_to_open_it_nothing_is_listed() -> None:
    """Facts stand all the same."""
    house, offering = living(menu_of("去看海"))
    house.says(says("好"))
    given = house.entries(house.talk("t1", "喝茶吗", tools=False).conversation)[0].given
    assert given is not None
    assert list(given) == ["text", "facts"]
    assert offering.occasions == []


@pytest.mark.parametrize("broken", [ValueError("心事"), StoreUnavailable("心事"), Menu((), "", 0, "心事", "m")])  # type: ignore[arg-type]
def test_a_failing_menu_is_a_line_in_the_log(broken: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The turn goes on without one, and the log says no word of a talk."""
    house, _ = living(broken)
    house.says(says("好"))
    with caplog.at_level(logging.WARNING):
        end = house.talk("t1", "问")
    assert end.status == "complete"
    assert "menu" not in (house.entries(end.conversation)[0].given or {})
    assert "there is no menu" in caplog.text
    assert "心事" not in caplog.text


def test_a_turn_asked_again_uses_what_was_decided() -> None:
    """Head and given are those that were stored, whatever was written since; nobody is asked for a menu again."""
    house, offering = living(menu_of("去看海"), menu_of("下雪"))
    house.says([StoreUnavailable("away")], says("好"))
    house.turn(Ask("t1", "喝茶吗"))
    written(house, "profile/persona.md", "你叫别的。")
    written(house, "facts/茶.md", "戒了。")
    house.clock.forward(days=2)
    house.chat = house.fresh()
    house.turn(Ask("t1", "喝茶吗"))
    first, second = house.upstream.requests
    assert (first.system, first.messages) == (second.system, second.messages)
    assert len(offering.occasions) == 1


def test_the_occasion_tells_what_stands_before_the_model() -> None:
    """The previous reply with its afterglow, what was listed and opened, and the words that can be read here."""
    house, offering = living(menu_of("去看海"), menu_of())
    old = Entry("m-1", 0, role="user", text="那年去看海。")
    house.archive.append("x-old", [old], 0)
    words = {"conversation": "x-old", "message": "m-1", "n": 0, "start": 0, "end": 6, "memory": "m-海"}
    assert house.recall
    house.recall.queue.append(Found((Piece("那年去看海。", words),)))
    house.says(calls("海"), says("记得。"), says("嗯"))
    conv = house.talk("t1", "一").conversation
    house.chat = house.fresh()
    house.talk("t2", "二", conv)
    occasion, (question, answer) = offering.occasions[-1], house.entries(conv)[:2]
    assert (occasion.text, occasion.conversation) == ("二", conv)
    assert (occasion.moment, str(occasion.moment.tzinfo)) == (house.clock.moment, "Asia/Shanghai")
    assert (occasion.recalled, occasion.known) == (("m-海",), frozenset(("m-海", "m-去看海")))
    assert occasion.seen == {(conv, question.id): ((0, 1),), (conv, answer.id): ((0, 3),), ("x-old", "m-1"): ((0, 6),)}


def test_the_previous_replys_afterglow_goes_with_its_model() -> None:
    """An answer without one, or none at all, says nothing of it; a quotation was about nothing of its own."""
    moment = House().clock.moment
    glowing = Entry("a", 1, role="assistant", text="好", afterglow=(1, -2), more={"afterglow_model": "e5"})
    asked = Entry("q", 2, role="user", text="在吗")
    echo = Entry("e", 3, role="assistant", text="你说过：好", source={"echo": True})
    paths = ((glowing, asked), (asked,), (), (glowing, asked, echo))
    found = [occasion_of("x", moment, "c", path, Known()) for path in paths]
    assert [(o.reply, o.afterglow, o.afterglow_model) for o in found] == [("好", (1, -2), "e5"), *[("", (), "")] * 3]


def test_the_context_of_the_message_goes_with_each_recall() -> None:
    """What the menu was made with is what a recall of the same turn is noted with."""
    vector = np.full(4, 0.5, np.float32)
    house, _ = living(Menu((), "", 0, vector, "e5"))
    house.says(calls("海"), says("好"))
    house.talk("t1", "问")
    assert house.recall
    assert house.recall.asking[0]
    assert (house.recall.asking[0].context or {})["model"] == "e5"


def test_a_profile_that_was_never_read_is_told_before_anything_is_stored() -> None:
    """A turn without its profile would be another's; it is refused and can be asked again."""

    class Away:
        def read(self, since: str = "") -> Documents:
            raise StoreUnavailable("away")

    house = House(beside=Beside(Away()))
    with pytest.raises(StoreUnavailable):
        house.turn(Ask("t1", "问"))
    assert list(house.store.list("")) == []


def test_documents_cost_a_turn_a_list_a_kind_and_a_look_a_file() -> None:
    """A warm turn makes four LISTs and a conditional GET a document more, and no other call."""
    store = WatchedStore(RamStore())
    house, _ = living(store=store)
    house.says(says("好"), says("好"))
    conv = house.talk("t1", "一").conversation
    store.calls.clear()
    assert done(house.turn(Ask("t2", "二", conv))).status == "complete"
    documents = sorted(name for name, key in store.calls if key.split("/")[1] in ("profile", "facts", "diary", "memos"))
    assert documents == ["get_if_changed"] * len(FILES) + ["list"] * 4
    assert len(store.calls) == len(documents) + 5


def test_a_menu_is_told_how_much_room_it_has() -> None:
    """What was given already leaves the next menu less than the first had, and the other branches are named."""
    offering = FakeOffering(menu_of(*[f"{i}" * 20 for i in range(5)]))
    house = House(beside=Beside(None, offering))
    house.says(says("一"), says("二"), says("三"))
    conv = house.talk("t0", "甲").conversation
    house.talk("t1", "乙", conv)
    first, second = offering.occasions
    assert second.room < first.room == 150
    assert (first.aside, second.aside) == (frozenset(), frozenset())
    begun = house.entries(conv)[1]
    house.talk("t2", "丙", conv, parent=begun.id)
    assert offering.occasions[2].aside == {entry.id for entry in house.entries(conv)[2:4]}
