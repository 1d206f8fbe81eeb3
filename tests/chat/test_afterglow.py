"""An answer is stored with the vector of what it was just about, and a recall with what was being talked about."""

import base64
import threading
from collections.abc import Callable
from typing import Any

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from paramecium.chat.afterglow import AT_WORK_MAX, Afterglow, Glow, context_of
from paramecium.chat.events import Ask, Started
from paramecium.chat.turn import Chat
from paramecium.errors import ModelMissing
from paramecium.index import vectors
from paramecium.index.embedder import Embedding
from paramecium.index.passages import passages
from paramecium.upstream.choose import Upstreams
from tests.chat.fakes_chat import LIFE, House, says, settings
from tests.fakes import HashEmbedder

LONG = "先说说天气。" * 80 + "最后一句讲的是砚台。"


EMBEDDER = HashEmbedder()
KEYED = {"name": "one", "kind": "anthropic", "api_key": "k", "models": ["one-model"]}


class Talking(House):
    """Is a house whose model is a real one by its kind, with an embedding model behind its answers."""

    glow = Afterglow(lambda: EMBEDDER)

    def fresh(self) -> Chat:
        """Returns a chat whose answers glow."""
        upstreams = Upstreams(self.settings, built={"one": self.upstream})
        parts = (self.archive, self.store, LIFE, self.settings, upstreams, self.recall, self.clock)
        return Chat(*parts, afterglow=self.glow)


class Working(HashEmbedder):
    """Is a model that does something else before it embeds."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self.work = work

    def passages(self, texts: Any) -> NDArray[np.float32]:
        """Does it first."""
        self.work()
        return super().passages(texts)


def talking(work: Callable[[], Any], timeout_s: float = 20.0) -> Talking:
    """Returns a house whose embedding model works so; an answer waits for it that long."""
    house, model = Talking(settings=settings(accounts=[KEYED])), Working(work)
    house.glow = Afterglow(lambda: model, timeout_s)
    house.chat = house.fresh()
    house.says(says("砚台睡着了。"))
    return house


def broken() -> None:
    """Fails as a library does, with words in its message."""
    raise RuntimeError("心事")


def test_the_glow_is_that_of_the_last_passage() -> None:
    """Only the end of an answer glows: what was said last, with who said it."""
    glow = Afterglow(lambda: EMBEDDER).of("小草", LONG)
    start, end = passages(LONG)[-1]
    assert start > 0
    expected = vectors.quantise(EMBEDDER.passages([f"小草: {LONG[start:end]}"]))[0]
    assert glow == Glow(tuple(expected.tolist()), "hash/1")
    assert glow.more == {"afterglow_model": "hash/1"}


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000"])
def test_silence_does_not_glow(text: str) -> None:
    """An answer without words has no afterglow."""
    assert Afterglow(lambda: EMBEDDER).of("小草", "有话") != Glow()
    assert Afterglow(lambda: EMBEDDER).of("小草", text) == Glow()


def test_without_a_model_nothing_glows() -> None:
    """A model that is not there costs the afterglow, and nothing else."""

    def missing() -> Embedding:
        raise ModelMissing("no model")

    assert Afterglow(missing).of("小草", "有话") == Glow()
    assert Glow().more == {}


def test_an_answer_is_stored_with_its_glow() -> None:
    """The entry of a complete answer keeps its vector and the model it is of."""
    house = Talking(settings=settings(accounts=[KEYED]))
    house.says(says("砚台睡着了。"))
    end = house.talk("turn-1", "砚台呢")
    _, answer = house.entries(end.conversation)
    assert answer.afterglow == Afterglow(lambda: EMBEDDER).of("小草", "砚台睡着了。").numbers
    assert answer.more == {"afterglow_model": "hash/1"}


def test_what_is_cut_off_or_quoted_does_not_glow() -> None:
    """An answer that did not come to its end, and a parrot's, have no afterglow."""
    house = Talking(settings=settings(accounts=[KEYED]))
    house.says(says("砚台睡", "max_tokens"))
    end = house.talk("turn-1", "砚台呢")
    assert house.entries(end.conversation)[1].afterglow == ()
    parrot = Talking(settings=settings(accounts=[{"name": "one", "kind": "parrot", "models": ["m"]}]))
    parrot.says(says("砚台睡着了。"))
    end = parrot.talk("turn-1", "砚台呢")
    assert parrot.entries(end.conversation)[1].source["echo"] is True
    assert parrot.entries(end.conversation)[1].afterglow == ()


def test_an_answer_is_stored_though_the_model_breaks(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever it raises costs the afterglow alone, and the log says no word of a talk."""
    house = talking(broken)
    end = house.talk("turn-1", "砚台呢")
    assert (end.status, house.entries(end.conversation)[1].text) == ("complete", "砚台睡着了。")
    assert "RuntimeError" in caplog.text
    assert "心事" not in caplog.text


def test_an_answer_does_not_wait_for_a_model_that_hangs() -> None:
    """It is stored without a glow; four may wait, and those behind them have none at once."""
    gate = threading.Event()
    house = talking(lambda: gate.wait(20), timeout_s=0.05)
    end = house.talk("turn-1", "砚台呢")
    assert [(e.text, e.afterglow) for e in house.entries(end.conversation)][1:] == [("砚台睡着了。", ())]
    for _ in range(AT_WORK_MAX - 1):
        anyio.run(house.glow.in_time, "小草", "有话")
    assert house.glow.of("小草", "有话") == Glow()
    gate.set()


def test_an_answer_that_came_whole_is_stored_though_nobody_waits() -> None:
    """Who goes away while the glow is made loses nothing of the answer."""
    at_work, gate = threading.Event(), threading.Event()

    def hang() -> None:
        at_work.set()
        gate.wait(20)

    house = talking(hang)

    async def leave() -> None:
        events = house.chat.run(Ask("turn-1", "砚台呢"))
        assert isinstance(await anext(events), Started)
        assert await anyio.to_thread.run_sync(at_work.wait, 20)
        await events.aclose()

    anyio.run(leave)
    gate.set()
    assert [(e.text, e.status) for e in house.entries("turn-1")][1:] == [("砚台睡着了。", "complete")]


def test_a_context_is_a_vector_of_bytes() -> None:
    """What was talked about is kept as one byte a number, with the model; without a vector there is none."""
    vector = EMBEDDER.query("下雨了")
    context = context_of(vector, "hash/1")
    assert context is not None
    assert context["model"] == "hash/1"
    found = np.frombuffer(base64.b64decode(context["vector"]), np.int8)
    assert (found == vectors.quantise(vector)).all()
    assert context_of(None, "hash/1") is None
    assert context_of(vector, "") is None
