"""An answer is stored with the vector of what it was just about, and a recall with what was being talked about."""

import base64

import numpy as np
import pytest

from paramecium.chat.afterglow import Afterglow, Glow, context_of
from paramecium.chat.turn import Chat
from paramecium.errors import ModelMissing
from paramecium.index import vectors
from paramecium.index.embedder import Embedding
from paramecium.index.passages import passages
from paramecium.upstream.choose import Upstreams
from tests.chat.fakes_chat import LIFE, House, says, settings
from tests.fakes import HashEmbedder

LONG = "先说说天气。" * 80 + "最后一句讲的是砚台。"


class Talking(House):
    """Is a house whose model is a real one by its kind, with an embedding model behind its answers."""

    def fresh(self) -> Chat:
        """Returns a chat whose answers glow."""
        upstreams = Upstreams(self.settings, built={"one": self.upstream})
        glow = Afterglow(lambda: EMBEDDER)
        return Chat(self.archive, self.store, LIFE, self.settings, upstreams, self.recall, self.clock, afterglow=glow)


EMBEDDER = HashEmbedder()
KEYED = {"name": "one", "kind": "anthropic", "api_key": "k", "models": ["one-model"]}


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
