"""Finding by meaning and by words gives the same, however the messages came into the index."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from paramecium.errors import ModelDamaged, ModelMissing
from paramecium.index import compaction, words
from paramecium.index.embedder import Embedding
from paramecium.recall import semantic
from paramecium.recall.limits import Limits
from paramecium.recall.search import Found, Query
from tests.fakes import HashEmbedder
from tests.recall.lives import Constant, Life, OtherModel, sentence, talkative

QUERIES = (
    "设备清单在哪里",
    "喝茶",
    "茶",
    "我们约定夏天去海边看电影",
    "Python 代码 测试",
    "猫",
    "没有说过的词",
    "👩‍👩‍👧",
    "体重",
)


def answers(life: Life) -> list[tuple[object, ...]]:
    """Returns what many queries find, without what hangs on the day of the test."""
    life.forget_caches()
    out: list[tuple[object, ...]] = []
    for query in QUERIES:
        for limits in ({}, {"conversation": "t1"}, {"besides": "t0"}, {"exact": True}):
            found = life.find(query, n=50, **limits)
            out += [(query, w.conversation, w.title, w.date, w.text, w.other_branch) for w in found.windows]
            out.append((query, found.next, found.damaged))
    return out


def scores(life: Life) -> list[float]:
    """Returns the scores of all hits of the queries, unrounded."""
    view = life.views.view()
    return [h.score for q in QUERIES for h in semantic.rank(view, life.finder.near, q, Limits())]


def one_run(life: Life, _: int) -> None:
    """Ingests only at the end."""


def each_message(life: Life, _: int) -> None:
    """Ingests after each message."""
    life.ingest()


def random_cuts(life: Life, n: int) -> None:
    """Ingests now and then, and builds the full text more rarely."""
    cut = random.Random(n).random()
    if cut < 0.02:
        life.build()
    elif cut < 0.2:
        life.ingest()


@pytest.fixture(scope="module")
def in_one_run(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Gives a life that was ingested in one run."""
    return lived(tmp_path_factory.mktemp("one"), one_run)


def lived(folder: Path, after_each: Callable[[Life, int], None], messages: int = 400) -> Life:
    """Returns a life that says the same each time, with a step after each message."""
    life = Life(folder)
    rng = random.Random(3)
    for n in range(messages):
        conversation = f"t{rng.randrange(9)}"
        tail = life.tails.get(conversation, 0)
        parent = f"{conversation}-{rng.randrange(tail)}" if tail and rng.random() < 0.1 else ""
        text = "好的。" if rng.random() < 0.3 else sentence(rng, 60)
        life.say(conversation, text, parent=parent)
        after_each(life, n)
    life.ingest()
    return life


@pytest.mark.parametrize("after_each", [each_message, random_cuts])
def test_one_run_or_a_hundred_give_the_same(
    tmp_path: Path, in_one_run: Life, after_each: Callable[[Life, int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same windows in the same order, with the same scores, however the index was cut and compacted."""
    monkeypatch.setattr(compaction, "GROWN_PASSAGES_MAX", 30)
    life = lived(tmp_path, after_each)
    assert len(in_one_run.views.view().segments) == 1
    assert len(life.views.view().segments) > 2
    assert answers(life) == answers(in_one_run)
    assert np.allclose(scores(life), scores(in_one_run), rtol=0, atol=1e-9)


def test_full_text_and_compaction_change_nothing(tmp_path: Path, in_one_run: Life) -> None:
    """With everything in the full text the same is found as without one."""
    life = lived(tmp_path, one_run)
    life.build()
    assert life.views.view().fulltext is not None
    assert answers(life) == answers(in_one_run)
    assert np.allclose(scores(life), scores(in_one_run), rtol=0, atol=1e-9)


@pytest.mark.parametrize("cuts", [1, 7])
def test_what_was_said_over_and_over_is_found_the_same(tmp_path: Path, cuts: int) -> None:
    """Of three hundred equal messages the newest are taken, in whatever segments and full text they stand."""
    life = Life(tmp_path)
    for n in range(300):
        life.say(f"c{n % 50:02}", "晚安")
        if n % (300 // cuts) == 150 // cuts:
            life.build()
    life.ingest()
    view = life.views.view()
    found = semantic.word_scores(view, words.terms("晚安"), Limits(), semantic.TAKEN)
    newest = sorted(life.said, key=lambda p: (view.day(p), p), reverse=True)
    assert list(found) == newest[: semantic.TAKEN]
    ranked = [hit.place for hit in semantic.rank(view, life.finder.near, "晚安", Limits())]
    assert len(ranked) == len(set(ranked)) == len(life.said)
    latest = [place for place in sorted(life.said, reverse=True)[: semantic.TAKEN] if place not in newest[:100]]
    assert ranked[100 : 100 + len(latest)] == latest


@pytest.mark.parametrize("built", [False, True])
def test_the_conversation_left_out_takes_nobodys_place(tmp_path: Path, built: bool) -> None:
    """What the asker sees already, said hundreds of times, does not crowd out what was said once elsewhere."""
    life = Life(tmp_path)
    life.say("old", "设备清单放在抽屉里，很久没有看过了")
    life.say("here", *(["设备清单"] * 300))
    life.build() if built else life.ingest()
    assert {w.conversation for w in life.find("设备清单").windows} >= {"here"}
    assert [w.conversation for w in life.find("设备清单", besides="here").windows] == ["old"]


@pytest.mark.parametrize("built", [False, True])
def test_one_conversation_does_not_hide_the_others(tmp_path: Path, built: bool) -> None:
    """Where one conversation holds all of what is nearest, windows of others follow its two, without a model too."""
    life = Life(tmp_path)
    life.say("big", *(text for n in range(200) for text in (f"喝茶{n}", "说别的。" * 170)))
    life.say("small", "明天去喝茶，后天也去")
    life.say("other", "他们很少喝茶，更多的时候喝水")
    life.build() if built else life.ingest()
    for embedder in (life.embedder, OtherModel()):
        life.embedder = embedder
        for limits in ({}, {"n": 4}, {"n": 50}):
            found = life.find("喝茶", **limits).windows
            assert [w.conversation for w in found[:2]] == ["big", "big"]
            assert sorted(w.conversation for w in found[2:]) == ["other", "small"]


def without_model(life: Life, error: Exception | None) -> Found:
    """Returns what is found when the model cannot be had, or is another one."""

    def embedder() -> Embedding:
        if error is not None:
            raise error
        return OtherModel()

    life.finder.near.embedder = embedder
    return life.finder.recall(Query("设备清单"))


@pytest.mark.parametrize("error", [ModelMissing("no model"), ModelDamaged("a flipped byte"), None])
def test_without_the_model_words_answer(tmp_path: Path, error: Exception | None) -> None:
    """No model, a damaged one or another one: what holds the words is found, and somebody is told."""
    life = Life(tmp_path)
    life.say("a", "设备清单放在抽屉里。" + "别的话。" * 200 + "还有设备清单。")
    life.say("b", "下雨了，在家看电影")
    life.ingest()
    assert len(life.find("设备清单").windows) == 2
    found = without_model(life, error)
    assert [w.text.startswith("设备清单") for w in found.windows] == [True]
    assert life.warned


def test_resemblance_below_the_floor_is_no_hit(tmp_path: Path) -> None:
    """What only resembles must come over the model's floor; what has a word of the query need not."""
    life = Life(tmp_path)
    life.say("a", "设备清单")
    life.say("b", "完全无关")
    life.ingest()
    assert len(life.find("设备清单").windows) == 2
    life.embedder.floors = {semantic.FLOOR: 0.99}
    assert life.texts("设备清单") == ["设备清单"]
    assert life.texts("清单设备") == ["设备清单"]


def test_an_index_without_rows_finds_by_words(tmp_path: Path) -> None:
    """A life of empty messages and one fresh one is searched like any other."""
    life = Life(tmp_path)
    assert life.texts("设备") == []
    life.say("a", "", "")
    life.ingest()
    assert life.texts("设备") == []
    life.say("a", "设备")
    assert life.texts("设备") == ["设备"]


def test_among_equals_the_later_place_comes_first(tmp_path: Path) -> None:
    """When everything is equally near, the order is that of the places, whichever segment holds them."""
    life = Life(tmp_path)
    life.embedder = Constant()
    life.embedder.mean = -HashEmbedder().mean
    for n in range(30):
        life.say(f"c{n:02}", f"第{n}句话")
        if n % 10 == 5:
            life.build()
    life.ingest()
    life.forget_caches()
    assert [w.conversation for w in life.find("无", n=50).windows] == [f"c{n:02}" for n in reversed(range(30))]


def test_the_passage_that_is_nearest_is_shown(tmp_path: Path) -> None:
    """Of a long message the part that resembles the question is shown."""
    life = Life(tmp_path)
    talkative(life, 1, 20, 2)
    life.say("long", "早上吃了面包。" * 200 + "设备清单放在第三个抽屉里。" * 20 + "晚上喝了汤。" * 200)
    life.ingest()
    assert "设备清单" in life.texts("设备清单放在第三个抽屉里", n=1)[0]
