"""Moments and branches of an imported file, up to what a recall gives back."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from paramecium.messages import Json
from paramecium.store.ram import RamStore
from tests.families.house import Door
from tests.jobs.import_files import said, talk, write

# A system message at the root and one between, branches, and moments in four forms.
MESSAGES = (
    said("隐藏的系统话", "system", id="s", parent=None, at="2024-05-01T09:00:00+08:00"),
    said("枇杷黄了吗", id="q", parent="s", at="2024-05-01T23:30:00-05:00"),
    said("枇杷没黄：旧的回答", "assistant", id="x", parent="q", at=1714622400),
    said("又一句系统话", "system", id="t", parent="q"),
    said("枇杷黄了：新的回答", "assistant", id="y", parent="t", at=1714708800000),
    said("枇杷真甜", id="z", parent="y", at="2024-05-04"),
)
STANDS = ("fresh", "ingested", "full text")


@pytest.fixture(params=STANDS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Door:
    """Gives a house that the file was brought into, its words fresh, ingested, or in the full text."""
    door = Door(RamStore(), tmp_path)
    life = door.parts.of("main")
    assert life.import_file(write(tmp_path / "f", talk("旧-1", *MESSAGES, title="枇杷"))).added == len(MESSAGES)
    if request.param != "fresh":
        life.ingest()
    if request.param == "full text":
        life.build_fulltext()
    return door


def found(door: Door, query: str, **limits: Any) -> list[Json]:
    """Returns the windows of a recall as every door prints them."""
    windows: list[Json] = door.parts.search("main", {"query": query, **limits})["windows"]
    return windows


def texts(door: Door, query: str, **limits: Any) -> str:
    """Returns all their words."""
    return "\n".join(w["text"] for w in found(door, query, **limits))


@pytest.mark.parametrize(
    ("query", "day"),
    [("枇杷黄了吗", "2024-05-01"), ("旧的回答", "2024-05-02"), ("新的回答", "2024-05-03"), ("枇杷真甜", "2024-05-04")],
)
def test_a_message_is_found_on_its_own_day_and_on_no_other(query: str, day: str, door: Door) -> None:
    """The day is that of the message's own clock, or of the person's zone where the file names none (D12 159)."""
    assert query in texts(door, query, exact=True, after=day, before=day)
    before, after = (str(date.fromisoformat(day) + timedelta(days=step)) for step in (-1, 1))
    assert query not in texts(door, query, exact=True, before=before)
    assert query not in texts(door, query, exact=True, after=after)


def test_the_path_is_the_file_s_last_branch(door: Door) -> None:
    """What stands on another branch is shown by its exact words only, or when its talk is named."""
    assert "新的回答" in texts(door, "枇杷黄了吗", n=9)
    assert "旧的回答" not in texts(door, "枇杷黄了吗", n=9)
    assert "旧的回答" in texts(door, "旧的回答", exact=True)
    assert "旧的回答" in texts(door, "枇杷没黄：旧的回答", conversation="旧-1")
    window = found(door, "旧的回答", exact=True)[0]
    assert "新的回答" not in window["text"]


def test_hidden_system_messages_break_nothing(door: Door) -> None:
    """They are kept and never found, and the words around them are one chain (D12 157)."""
    assert texts(door, "系统话", exact=True) == ""
    assert found(door, "枇杷真甜", exact=True)[0]["text"].startswith("枇杷黄了吗枇杷黄了：新的回答枇杷真甜")
    kept = door.parts.catalogue("main").read("旧-1")["messages"]
    assert [m["text"] for m in kept if m["role"] == "system"] == ["隐藏的系统话", "又一句系统话"]


def test_moments_are_kept_as_they_are(door: Door) -> None:
    """Every moment stands with its offset; an unknown one stays unknown and is not made up."""
    kept = {m["text"]: m["at"] for m in door.parts.catalogue("main").read("旧-1")["messages"]}
    assert kept["枇杷黄了吗"] == "2024-05-01T23:30:00-05:00"
    assert kept["枇杷没黄：旧的回答"] == "2024-05-02T12:00:00.000+08:00"
    assert kept["枇杷黄了：新的回答"] == "2024-05-03T12:00:00.000+08:00"
    assert kept["枇杷真甜"] == "2024-05-04T00:00:00+08:00"
    assert kept["又一句系统话"] == ""
