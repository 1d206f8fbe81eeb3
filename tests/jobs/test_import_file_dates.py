"""The dates of a file, and what else tells two messages apart."""

from pathlib import Path
from typing import Any

import pytest

from paramecium.store.ram import RamStore
from tests.jobs.import_files import bring, messages, said, talk, texts, write


@pytest.mark.parametrize(
    ("raw", "at"),
    [
        ("2024-05-01T10:00:00+08:00", "2024-05-01T10:00:00+08:00"),
        ("2024-05-01T02:00:00.123456Z", "2024-05-01T02:00:00.123456Z"),
        ("2024-05-01 10:00-03:30", "2024-05-01 10:00-03:30"),
        ("2024-05-01T10:00:00", "2024-05-01T10:00:00+08:00"),
        ("2024-05-01", "2024-05-01T00:00:00+08:00"),
        (1714528800, "2024-05-01T10:00:00.000+08:00"),
        (1714528800.5, "2024-05-01T10:00:00.500+08:00"),
        (1714528800123, "2024-05-01T10:00:00.123+08:00"),
        (0, "1970-01-01T08:00:00.000+08:00"),
        (-86400, "1969-12-31T08:00:00.000+08:00"),
        ("昨天", ""),
        ("", ""),
        ("2024-13-01T10:00:00Z", ""),
        (10**30, ""),
        (True, ""),
        ({"year": 2024}, ""),
        (None, ""),
    ],
)
def test_dates(tmp_path: Path, raw: Any, at: str) -> None:
    """A date with offset stays as it is, others get the configured zone; what is changed is kept beside."""
    store = RamStore()
    bring(store, write(tmp_path / "f", talk("旧-1", said("嗯", at=raw))))
    (entry,) = messages(store, "旧-1")
    assert entry.at == at
    assert entry.source.get("at") == (None if raw == at else raw)


@pytest.mark.parametrize(
    "change", [{"at": "2024-05-02"}, {"speaker": "月亮"}, {"role": "assistant"}, {"content": "好"}]
)
def test_any_later_difference_is_another_message(tmp_path: Path, change: dict[str, str]) -> None:
    """Same id, other date, speaker, role or words: both stand, the later one beside the earlier one."""
    store = RamStore()
    first, second = said("问", id="a"), said("嗯", id="b", at="2024-05-01", speaker="阿月")
    for again in (second, second | change, second):
        bring(store, write(tmp_path / "f", talk("旧-1", first, again)))
    entries = messages(store, "旧-1")
    assert texts(entries) == ["问", "嗯", change.get("content", "嗯")]
    assert entries[1].parent == entries[2].parent == entries[0].id
