"""The jobs of one life as the house puts them together."""

from pathlib import Path

import anyio

from paramecium.archive.heads import get_head
from paramecium.chat.events import Ask, ChatEvent, Done
from paramecium.memories.events import Added
from paramecium.memories.state import State, fold
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.wiring.start import build_parts
from tests.memories.event_lists import events_of, note


def test_a_damaged_index_does_not_stop_an_import(tmp_path: Path) -> None:
    """What is said is kept whatever became of what is derived from it; it is then told as waiting for the index."""
    file = tmp_path / "f.jsonl"
    file.write_text('{"id": "c", "messages": [{"role": "user", "content": "砚台胖了"}]}', "utf-8")
    parts = build_parts(Settings(), data=tmp_path / "data")
    parts.store.create(keys.manifest("main"), b"{")
    report = parts.of("main").import_file(file)
    assert (report.added, report.waiting) == (1, 1)


def test_a_person_s_hand_writes_into_the_life_s_own_ledger(tmp_path: Path) -> None:
    """Ledger and hand of a life stand on its store, and its zone is that of the configuration."""
    life = build_parts(Settings(timezone="Asia/Tokyo"), data=tmp_path / "data").of("main")
    life.ledger.append(events_of(Added(note("m-123456"))))
    assert life.hand.correct("m-123456", "是驱虫药", "说错了").changed
    events = life.ledger.read()
    assert events[-1].at.endswith("+09:00")
    assert fold(State(), events).memories["m-123456"].fact == "facts/m-123456.md"
    assert (tmp_path / "data" / "main" / "facts" / "m-123456.md").read_text("utf-8").endswith("是驱虫药")


def test_a_turn_gets_what_is_written_by_hand(tmp_path: Path) -> None:
    """A persona that stands in the life's folder is the one the model is told."""
    parts = build_parts(Settings(), data=tmp_path / "data")
    parts.store.create("main/profile/persona.md", "你叫{ai}，住在枇杷树下。".encode())

    async def turn() -> list[ChatEvent]:
        return [event async for event in parts.chat("main").run(Ask("t", "在吗", memory=False))]

    assert isinstance(anyio.run(turn)[-1], Done)
    question = parts.of("main").archive.read("t")[0]
    head = get_head(parts.store, "main", question.head or "")
    assert head["system"][0]["text"].startswith("你叫小草，住在枇杷树下。")
