"""The jobs of one life as the house puts them together."""

from pathlib import Path

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
