"""Memories are found beside the words, each with the quote it stands on, and what is not offered is not found."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from paramecium.errors import StoreUnavailable
from paramecium.memories.events import Corrected, Note, Pinned, Retired, What
from paramecium.recall.search import Finder, Found, Query
from tests.fakes import HashEmbedder
from tests.memory_views import Views, note_of, state_of, superseding, view_of
from tests.recall.lives import Life, OtherModel

TEA = "我现在只喝冷萃了，热茶喝了就睡不着"
CAT = "砚台又睡在扫描仪上，我只好等他醒"
RAIN = "下雨的晚上我们说好，明年还去看海"


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Gives a life with three talks and no memory yet."""
    made = Life(tmp_path)
    for conversation, text in (("tea", TEA), ("cat", CAT), ("rain", RAIN)):
        made.say(conversation, text, "好，我记住了")
    made.ingest()
    return made


def notes() -> tuple[Note, Note, Note]:
    """Returns a note for each talk."""
    return (
        note_of("阿月只喝冷萃，喝热茶会失眠", TEA, "我现在只喝冷萃了", "tea", date="2026-01-01"),
        note_of("黑猫砚台爱睡在扫描仪上", CAT, "砚台又睡在扫描仪上", "cat", date="2026-02-02"),
        note_of("约好明年再去看海", RAIN, "明年还去看海", "rain", date="2026-03-03"),
    )


def remember(life: Life, *whats: What | Note, off_path: tuple[str, ...] = ()) -> None:
    """Has the finder see the memories that these events add up to."""
    view = view_of(state_of(*whats), life.embedder, off_path)
    life.finder = Finder(life.views, life.finder.near, Views(view))


def ids(found: Found) -> list[str]:
    """Returns the conversations of the memories found, best first."""
    return [m.memory.note.conversation for m in found.memories]


def test_a_memory_is_found_with_its_quote(life: Life) -> None:
    """The memory that answers comes first, with the words it stands on and where they stand."""
    remember(life, *notes())
    found = life.find("喝冷萃还是热茶")
    assert ids(found)[0] == "tea"
    told = found.to_json()["memories"][0]
    assert (told["quote"], told["start"], told["end"]) == ("我现在只喝冷萃了", 0, 8)
    assert TEA[told["start"] : told["end"]] == told["quote"]
    assert told["message"] == "tea-0"
    assert found.windows


def test_memories_follow_dates_and_conversation(life: Life) -> None:
    """The days and the conversation of a query hold for both layers; a note without a date is in no span of days."""
    undated = note_of("阿月喝热茶", TEA, "热茶喝了就睡不着", "tea", date="")
    remember(life, *notes(), undated)
    everything = life.find("喝茶 砚台 看海", n=50)
    assert set(ids(everything)) == {"tea", "cat", "rain"}
    assert ids(life.find("喝茶 砚台 看海", after=date(2026, 2, 1), before=date(2026, 2, 28))) == ["cat"]
    assert ids(life.find("喝茶 砚台 看海", conversation="rain")) == ["rain"]


@pytest.mark.parametrize("gone", ["superseded", "retired", "corrected", "off the path"])
def test_what_no_longer_holds_is_not_found(life: Life, gone: str) -> None:
    """A memory that was superseded, retired, corrected or left its path is not found; what replaced it tells of it."""
    tea, cat, rain = notes()
    remember(life, tea, cat, rain)
    assert ids(life.find("只喝冷萃"))[0] == "tea"
    new = note_of("阿月又开始喝热茶", TEA, "热茶喝了就睡不着", "tea", 1)
    whats = {
        "superseded": (cat, rain, *superseding(tea, new)),
        "retired": (tea, cat, Retired(tea.id)),
        "corrected": (tea, cat, Corrected(tea.id, "facts/茶.md")),
        "off the path": (tea, cat),
    }[gone]
    remember(life, *whats, off_path=(tea.id,) if gone == "off the path" else ())
    found = life.find("只喝冷萃")
    assert tea.id not in [m.memory.note.id for m in found.memories]
    if gone == "superseded":
        told = next(m for m in found.to_json()["memories"] if m["id"] == new.id)
        assert [e["content"] for e in told["earlier"]] == [tea.content]


def test_a_pinned_memory_is_found(life: Life) -> None:
    """A pin keeps a memory among those that are found."""
    tea, *_ = notes()
    remember(life, tea, Pinned(tea.id))
    assert ids(life.find("冷萃")) == ["tea"]


def test_what_stands_before_the_asker_is_left_out(life: Life) -> None:
    """A memory whose words stand on the asker's own path is not told again; from before its anchor it is."""
    remember(life, *notes())
    asked = Query("喝冷萃", besides="tea")
    assert "tea" not in ids(life.finder.recall(asked))
    assert "tea" in ids(life.finder.recall(Query("喝冷萃", besides="tea", besides_from=1)))
    assert "tea" in ids(life.finder.recall(Query("喝冷萃", besides="not yet ingested")))


def test_an_exact_query_is_of_words_alone(life: Life) -> None:
    """Who asks for the very characters gets windows, in which they stand, and no notes."""
    remember(life, *notes())
    found = life.find("冷萃", exact=True)
    assert (len(found.windows), found.memories) == (1, ())


def test_memories_of_another_model_are_found_by_words(life: Life) -> None:
    """Vectors that another model made are not measured against; the words still find the memory."""
    view = view_of(state_of(*notes()), OtherModel())
    life.finder = Finder(life.views, life.finder.near, Views(view))
    assert ids(life.find("冷萃")) == ["tea"]
    assert life.warned


def test_a_memory_that_is_away_leaves_the_words(life: Life) -> None:
    """When the memories cannot be read, the words answer alone, and somebody is told."""
    life.finder = Finder(life.views, life.finder.near, Views(StoreUnavailable("the disk is away")))
    found = life.find("冷萃")
    assert found.windows
    assert found.memories == ()
    assert "the disk is away" in life.warned[-1]


class Counting(HashEmbedder):
    """Remembers every question it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def query(self, text: str) -> NDArray[np.float32]:
        """Returns the vector of a question and remembers it."""
        self.asked.append(text)
        return super().query(text)


def test_one_question_is_embedded_once(life: Life) -> None:
    """Messages and memories are searched with one vector."""
    life.embedder = counting = Counting()
    remember(life, *notes())
    assert life.find("喝冷萃").memories
    assert counting.asked == ["喝冷萃"]
