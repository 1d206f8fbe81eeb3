"""The menu of an occasion: every lane from one embedding, in time, whatever breaks."""

import threading
import time
from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from paramecium.errors import ModelMissing, StoreUnavailable
from paramecium.index.vectors import quantise
from paramecium.memories.view import MemoryView
from paramecium.recall.menu import Menu, Occasion
from paramecium.recall.offer import AT_WORK_MAX, Menus
from paramecium.settings import Lane, Settings
from tests.fakes import HashEmbedder
from tests.recall.fakes_memories import FakeViews, Kept, memory_view

NOW = datetime(2026, 6, 12, 12, tzinfo=UTC)
ASK = "奶茶还是只喝乌龙轻乳茶吗"
KEPT = (
    Kept("tea", "林夏以后奶茶只喝乌龙轻乳茶", "2026-05-01"),
    Kept("cat", "黑猫砚台体重五公斤九", "2026-04-01"),
    Kept("sea", "想在海边的灯塔旁住一年", "2026-03-01"),
    Kept("move", "搬进了新家", "2024-06-12"),
    Kept("pie", "冬至要吃苹果派", "2026-01-02"),
)
RAIN = "外面下着大雨睡不着"


class Slow:
    """Waits until it is let go."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def view(self) -> MemoryView:
        """Waits, then fails."""
        self.gate.wait(10)
        raise StoreUnavailable("the store is away")


class SlowModel(HashEmbedder):
    """Is a model that answers no query until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def query(self, text: str) -> NDArray[np.float32]:
        """Waits."""
        self.gate.wait(10)
        return super().query(text)


def embedder() -> HashEmbedder:
    """Returns a model with floors that its vectors keep."""
    model = HashEmbedder()
    model.floors = {"menu.message": 0.4, "menu.afterglow": 0.4, "menu.context": 0.5}
    return model


def view() -> MemoryView:
    """Returns five memories, a moment of rain in which `sea` was opened, and `tea` recalled twice next to `pie`."""
    return memory_view(KEPT, embedder(), moments=[(RAIN, (2,))], edges={0: ((4, 2),), 4: ((0, 2),)})


def offered(occasion: Occasion, *lanes: Lane) -> Menu:
    """Returns the menu, of all lanes or of those named."""
    menus = Menus(FakeViews(view()), embedder, Settings(lanes=lanes or get_args(Lane)), timeout_s=20)
    return menus.offer(occasion)


def glow(text: str) -> dict[str, Any]:
    """Returns what an occasion holds of an answer."""
    vector = quantise(HashEmbedder().passages([text])[0]).tolist()
    return {"reply": text, "afterglow": tuple(vector), "afterglow_model": "hash/1"}


@pytest.mark.parametrize(
    ("lane", "occasion", "ident"),
    [
        ("message", Occasion(ASK, NOW), "tea"),
        ("afterglow", Occasion("嗯", NOW, **glow("黑猫砚台体重又是五公斤九")), "cat"),
        ("context", Occasion(f"{RAIN}啊", NOW), "sea"),
        ("this_day", Occasion("嗯", NOW), "move"),
        ("edges", Occasion("嗯", NOW, recalled=("tea",)), "pie"),
    ],
)
def test_each_lane_has_a_switch(lane: Lane, occasion: Occasion, ident: str) -> None:
    """The lane brings up its memory, and without the lane that stays away."""
    menu = offered(occasion)
    assert [line.lanes for line in menu.lines if line.id == ident] == [(lane,)]
    others = tuple(other for other in get_args(Lane) if other != lane)
    assert ident not in {line.id for line in offered(occasion, *others).lines}
    assert {line.id for line in offered(occasion, lane).lines} == {ident}


def test_edges_follow_what_other_lanes_admit() -> None:
    """What was twice recalled next to a memory of the menu comes with it."""
    assert [(line.id, line.lanes) for line in offered(Occasion(ASK, NOW), "message", "edges").lines] == [
        ("tea", ("message",)),
        ("pie", ("edges",)),
    ]


def test_a_menu_is_written_with_its_size() -> None:
    """The text, its tokens, and the raw vector of the message."""
    menu = offered(Occasion(ASK, NOW), "message")
    assert menu.text.endswith("\n05-01 林夏以后奶茶只喝乌龙轻乳茶")
    assert 0 < menu.tokens <= 150
    assert menu.context is not None
    assert (menu.model, menu.late) == ("hash/1", ())
    assert np.allclose(menu.context, HashEmbedder().query(ASK))


def test_one_embedding_and_one_look() -> None:
    """All lanes together ask the model once and the store once."""
    model, views = embedder(), FakeViews(view())
    asked: list[str] = []
    query = model.query
    model.query = lambda text: asked.append(text) or query(text)  # type: ignore[method-assign, func-returns-value]
    menu = Menus(views, lambda: model, Settings(), timeout_s=20).offer(Occasion(ASK, NOW, **glow("猫")))
    assert (asked, views.asked, bool(menu.lines)) == ([ASK], 1, True)


def test_the_vector_is_there_though_nothing_is_listed() -> None:
    """Also when no memory is, or nothing may be listed."""
    menu = Menus(FakeViews(memory_view((), embedder())), embedder, Settings(lanes=()), timeout_s=20).offer(
        Occasion("嗯", NOW)
    )
    assert (menu.lines, menu.text, menu.tokens) == ((), "", 0)
    assert menu.context is not None


def test_the_day_is_that_of_the_persons_zone() -> None:
    """Late in the evening of UTC it is the next day in Shanghai."""
    evening = datetime(2026, 6, 11, 20, tzinfo=UTC)
    assert [line.id for line in offered(Occasion("嗯", evening), "this_day").lines] == ["move"]


@pytest.fixture
def warned() -> list[str]:
    """Gives the lines of the log."""
    return []


def test_a_slow_model_holds_back_only_what_needs_it(warned: list[str]) -> None:
    """What needs no model is listed in time; the late lanes are named, and the turn goes on."""
    model = SlowModel()
    menus = Menus(FakeViews(view()), lambda: model, Settings(), warned.append, timeout_s=0.3)
    began = time.monotonic()
    menu = menus.offer(Occasion(ASK, NOW))
    assert time.monotonic() - began < 3
    assert [line.id for line in menu.lines] == ["move"]
    assert (menu.late, menu.context) == (("message", "context"), None)
    assert "message, context" in warned[-1]
    model.gate.set()


def test_a_process_waits_for_its_model(warned: list[str]) -> None:
    """A process that ends in the middle of native code is aborted, so its end waits for a model that is late."""
    daemons: list[bool] = []

    class Watched(SlowModel):
        def query(self, text: str) -> NDArray[np.float32]:
            """Tells whether the process would end without this thread."""
            daemons.append(threading.current_thread().daemon)
            return super().query(text)

    model = Watched()
    menu = Menus(FakeViews(view()), lambda: model, Settings(), warned.append, timeout_s=0.3).offer(Occasion(ASK, NOW))
    model.gate.set()
    assert (menu.late, daemons) == (("message", "context"), [False])


def test_a_slow_store_holds_no_turn(warned: list[str]) -> None:
    """Every lane is late, the vector is there; after four such turns a further one does not even wait."""
    views = Slow()
    menus = Menus(views, embedder, Settings(), warned.append, timeout_s=0.05)
    for _ in range(AT_WORK_MAX):
        menu = menus.offer(Occasion(ASK, NOW))
        assert (menu.lines, menu.late) == ((), get_args(Lane))
    full = menus.offer(Occasion(ASK, NOW))
    assert (full.lines, full.late, full.context) == ((), get_args(Lane), None)
    views.gate.set()


def test_a_store_that_is_away_leaves_the_menu_empty(warned: list[str]) -> None:
    """With a line in the log, and the vector all the same; nothing is late."""
    views = Slow()
    views.gate.set()
    menu = Menus(views, embedder, Settings(), warned.append, timeout_s=20).offer(Occasion(ASK, NOW))
    assert (menu.lines, menu.text, menu.late) == ((), "", ())
    assert warned == ["part of the menu stays empty: the store is away"]


def test_without_a_model_words_and_days_are_listed(warned: list[str]) -> None:
    """A missing model is told, and what needs none comes up."""

    def missing() -> HashEmbedder:
        raise ModelMissing("no embedding model in /nowhere")

    menu = Menus(FakeViews(view()), missing, Settings(), warned.append, timeout_s=20).offer(Occasion(ASK, NOW))
    assert {line.id for line in menu.lines} == {"tea", "move", "pie"}
    assert menu.context is None
    assert warned == ["part of the menu stays empty: no embedding model in /nowhere"]


def test_vectors_of_another_model_are_left_alone() -> None:
    """After a change of model words are searched until the view has the new one's vectors."""
    model = embedder()
    model.id = "hash/2"
    menu = Menus(FakeViews(view()), lambda: model, Settings(), timeout_s=20).offer(Occasion(f"{RAIN}啊", NOW))
    assert (menu.model, [line.id for line in menu.lines]) == ("hash/2", ["move"])


def test_what_fails_says_no_word_of_the_talk(warned: list[str]) -> None:
    """An error nobody meant to show is told by its kind alone."""
    model = embedder()

    def broken(text: str) -> NDArray[np.float32]:
        raise RuntimeError(text)

    model.query = broken  # type: ignore[method-assign]
    menu = Menus(FakeViews(view()), lambda: model, Settings(), warned.append, timeout_s=20).offer(Occasion(ASK, NOW))
    assert [line.id for line in menu.lines][:2] == ["tea", "move"]
    assert warned == ["part of the menu stays empty: RuntimeError"]
