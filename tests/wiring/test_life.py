"""The jobs of one life as the house puts them together."""

from pathlib import Path

from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.wiring.start import build_parts


def test_a_damaged_index_does_not_stop_an_import(tmp_path: Path) -> None:
    """What is said is kept whatever became of what is derived from it; it is then told as waiting for the index."""
    file = tmp_path / "f.jsonl"
    file.write_text('{"id": "c", "messages": [{"role": "user", "content": "砚台胖了"}]}', "utf-8")
    parts = build_parts(Settings(), data=tmp_path / "data")
    parts.store.create(keys.manifest("main"), b"{")
    report = parts.of("main").import_file(file)
    assert (report.added, report.waiting) == (1, 1)
