"""The order of a file's messages, and what its import tells of versions and dates."""

from pathlib import Path
from typing import Any

import pytest

from paramecium.store.ram import RamStore
from tests.jobs.import_files import bring, messages, objects, parents, said, talk, texts, walked, write
from tests.jobs.lives import Life

NEWEST_FIRST = [
    said("再见", "assistant", id="d", parent="c"),
    said("谢", id="c", parent="b"),
    said("答", "assistant", id="b", parent="a"),
    said("问", id="a", parent=None),
]


def test_a_file_that_lists_the_newest_first(tmp_path: Path) -> None:
    """Each message stands behind the one it hangs on, the path runs to the end, and the same again adds nothing."""
    life = Life(RamStore(), tmp_path)
    file = write(tmp_path / "f", talk("旧-1", *NEWEST_FIRST))
    bring(life.store, file)
    assert texts(messages(life.store, "旧-1")) == ["问", "答", "谢", "再见"] == walked(life.store, "旧-1")
    assert parents(life.store, "旧-1") == [(None, "问"), ("问", "答"), ("答", "谢"), ("谢", "再见")]
    life.fts()
    assert (life.verify().problems, life.verify().waiting) == ((), 0)
    before = objects(life.store)  # type: ignore[arg-type]
    assert bring(life.store, file, covered=lambda _: 99).added == 0
    assert objects(life.store) == before  # type: ignore[arg-type]


def test_a_longer_file_that_lists_the_newest_first(tmp_path: Path) -> None:
    """What was said since comes in behind, and the path goes on to it."""
    store = RamStore()
    bring(store, write(tmp_path / "f", talk("旧-1", *NEWEST_FIRST[1:])))
    assert bring(store, write(tmp_path / "g", talk("旧-1", *NEWEST_FIRST))).added == 1
    assert walked(store, "旧-1") == ["问", "答", "谢", "再见"]


def test_the_path_ends_with_the_last_message_on_which_none_hangs(tmp_path: Path) -> None:
    """Of two branches in a file that lists children first, the one that ends later in the file."""
    store = RamStore()
    other = said("另谢", id="e", parent="b")
    bring(store, write(tmp_path / "f", talk("旧-1", *NEWEST_FIRST[:2], other, *NEWEST_FIRST[2:])))
    assert walked(store, "旧-1") == ["问", "答", "另谢"]


def test_a_file_in_order_stays_in_its_order(tmp_path: Path) -> None:
    """Branches that run through each other are not sorted apart."""
    mixed = [said(t, id=t, parent=p) for t, p in [("甲", None), ("乙", "甲"), ("丙", "甲"), ("丁", "乙"), ("戊", "丙")]]
    store = RamStore()
    bring(store, write(tmp_path / "f", talk("旧-1", *mixed)))
    assert texts(messages(store, "旧-1")) == ["甲", "乙", "丙", "丁", "戊"]


@pytest.mark.parametrize("change", [{"at": "2024-05-02"}, {"speaker": "月亮"}])
def test_one_id_with_another_date_or_speaker_is_another_message(tmp_path: Path, change: dict[str, str]) -> None:
    """Within one file both stand, the later one beside the earlier one."""
    store = RamStore()
    first, second = said("问", id="a"), said("嗯", id="b", at="2024-05-01", speaker="阿月")
    report = bring(store, write(tmp_path / "f", talk("旧-1", first, second, second | change, second)))
    assert parents(store, "旧-1") == [(None, "问"), ("问", "嗯"), ("问", "嗯")]
    assert (report.added, report.beside) == (3, 1)


@pytest.mark.parametrize("named", [True, False])
def test_edited_messages_are_told(tmp_path: Path, named: bool) -> None:
    """A changed message is counted once, when it comes in; what is only new is not counted."""
    store = RamStore()
    ids: list[dict[str, Any]] = [{"id": name} if named else {} for name in "abc"]
    first = [said("问", **ids[0]), said("答", "assistant", **ids[1])]
    edited = [first[0], said("改答", "assistant", **ids[1]), said("谢", **ids[2])]
    assert bring(store, write(tmp_path / "f", talk("旧-1", *first))).beside == 0
    report = bring(store, write(tmp_path / "g", talk("旧-1", *edited)))
    assert (report.added, report.beside) == (2, 1)
    assert bring(store, write(tmp_path / "g", talk("旧-1", *edited))).beside == 0


def test_dates_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """A date that is given and cannot be read is counted; one that is not given, or can be read, is not."""
    dates = ["昨天", {"year": 2024}, True, None, "", "2024-05-01", 1714528800]
    file = write(tmp_path / "f", talk("旧-1", *[said(f"{i}", at=at) for i, at in enumerate(dates)]), talk("旧-2"))
    store = RamStore()
    assert bring(store, file).undated == 3
    assert bring(store, file).undated == 0
