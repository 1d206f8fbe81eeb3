"""The menu over the sample life's notes with the real model: quiet when nothing matters, there when something does."""

import json
from datetime import UTC, datetime

import pytest

from evals.menu.talk import SMALL_TALK
from paramecium.index.embedder import Embedder, default_model_folder
from paramecium.recall.menu import Menu, Occasion
from paramecium.recall.offer import Menus
from paramecium.settings import Settings
from tests.cli.process import ROOT
from tests.recall.fakes_memories import FakeViews, Kept, memory_view
from tests.recall.small_talk import UNRELATED

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def menus() -> Menus:
    """Gives what lists the sample life's notes."""
    lines = (ROOT / "examples" / "sample_notes.jsonl").read_text(encoding="utf-8").split("\n")
    raw = [json.loads(line) for line in lines if line]
    kept = [Kept(f"n{i}", r["content"], r["date"], r["quote"], f"talk-{i}") for i, r in enumerate(raw)]
    model = Embedder(default_model_folder())
    return Menus(FakeViews(memory_view(kept, model)), lambda: model, Settings(), timeout_s=20)


def lists(menus: Menus, text: str) -> Menu:
    """Returns the menu of a text, none of whose lanes is late."""
    menu = menus.offer(Occasion(text, NOW))
    assert menu.late == ()
    return menu


def test_small_talk_lists_next_to_nothing(menus: Menus) -> None:
    """Thirty turns of small talk list at most half a line on average."""
    assert len(SMALL_TALK) == 30
    assert sum(len(lists(menus, text).lines) for text in SMALL_TALK) / 30 <= 0.5


def test_unrelated_texts_list_nothing(menus: Menus) -> None:
    """At least 95 of a hundred questions that have nothing to do with a life have an empty menu."""
    quiet = sum(lists(menus, text).text == "" for text in UNRELATED)
    assert quiet / len(UNRELATED) >= 0.95


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("砚台今天上秤又胖了，周医生说要慢慢减", "5.9 公斤"),
        ("今天又在扫水彩，猫躺在扫描仪上不肯走", "扫描仪"),
    ],
)
def test_what_matters_is_listed(menus: Menus, text: str, title: str) -> None:
    """A message that a note has something to say to lists it."""
    assert any(title in line.title for line in lists(menus, text).lines)
