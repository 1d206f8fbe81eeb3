"""An import that dies at any store call, or runs twice at once: one more run, and every message stands once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest

from paramecium.archive.names import conversation_id
from paramecium.jobs.import_file import ImportReport
from paramecium.messages import Json
from paramecium.store.ram import RamStore
from tests.fakes import Killed, WatchedStore
from tests.jobs.import_files import archive_of, bring, messages, objects, parents, said, talk, texts, walked, write

SINCE = datetime(2026, 6, 1, tzinfo=UTC)
NAMES = ("有号", "无号", "分支")
EARLIER = (
    talk("有号", said("我的猫叫豆包", id="a"), said("真可爱", "assistant", id="b"), title="豆包"),
    talk("无号", said("今天下雨"), said("带伞", "assistant"), said("好")),
    talk("分支", said("问", id="q"), said("答", "assistant", id="r", parent="q")),
)
FILE = (
    talk("有号", said("我的猫叫豆包", id="a"), said("真可爱", "assistant", id="b"), said("嗯", id="c"), title="豆包"),
    talk("无号", said("今天下雨"), said("带把伞", "assistant"), said("好")),
    talk(
        "分支",
        said("问", id="q"),
        said("再答", "assistant", id="s", parent="q"),
        said("三答", "assistant", id="s", parent="q"),
        said("答", "assistant", id="r", parent="q"),
        title="树",
    ),
)


def _state(store: RamStore) -> list[object]:
    """Returns all that matters to a reader: messages in order with their parents, and the path."""
    return [(texts(messages(store, n)), parents(store, n), walked(store, n)) for n in NAMES]


def _check(store: RamStore, whole: RamStore) -> None:
    assert _state(store) == _state(whole)
    for name in NAMES:
        entries = archive_of(store).read(conversation_id(name))
        assert len({e.id for e in entries}) == len(entries)
        assert [e.n for e in entries] == list(range(len(entries)))
    arrived = {a.conversation for a in archive_of(store).arrivals(SINCE)}
    assert arrived == {conversation_id(name) for name in NAMES}


def _deaths(tmp_path: Path, earlier: tuple[Json, ...]) -> Iterator[tuple[RamStore, WatchedStore]]:
    """Yields for each store call of the import, before and after it, a store to die in."""
    counted = WatchedStore(_begun(tmp_path, earlier))
    bring(counted, tmp_path / "file")
    for die_at in range(1, len(counted.calls) + 1):
        for after in (False, True):
            store = _begun(tmp_path, earlier)
            yield store, WatchedStore(store, die_at=die_at, after=after)


def _begun(tmp_path: Path, earlier: tuple[Json, ...]) -> RamStore:
    """Returns a store with the earlier file in it, whose arrivals were lost."""
    store = RamStore()
    if earlier:
        bring(store, write(tmp_path / "earlier", *earlier))
        for arrival in list(archive_of(store).arrivals(SINCE)):
            store.delete(arrival.key)
    return store


@pytest.mark.parametrize("earlier", [(), EARLIER], ids=["new", "on top of an earlier file"])
def test_an_import_that_died_is_finished_by_the_next(tmp_path: Path, earlier: tuple[Json, ...]) -> None:
    """After a death at any call one more run leaves every message once, in order, with all arrivals."""
    write(tmp_path / "file", *FILE)
    whole = _begun(tmp_path, earlier)
    bring(whole, tmp_path / "file")
    deaths = 0
    for store, dying in _deaths(tmp_path, earlier):
        with pytest.raises(Killed):
            bring(dying, tmp_path / "file")
        bring(store, tmp_path / "file")
        _check(store, whole)
        deaths += 1
    assert deaths == 2 * (9 if not earlier else 12)


def test_what_the_whole_import_leaves(tmp_path: Path) -> None:
    """The state the deaths are measured against is the right one."""
    store = RamStore()
    bring(store, write(tmp_path / "earlier", *EARLIER))
    bring(store, write(tmp_path / "file", *FILE))
    assert walked(store, "有号") == ["我的猫叫豆包", "真可爱", "嗯"]
    assert walked(store, "无号") == ["今天下雨", "带伞", "好"]
    assert parents(store, "无号")[-1] == ("今天下雨", "带把伞")
    assert walked(store, "分支") == ["问", "答"]
    assert texts(messages(store, "分支")) == ["问", "答", "再答", "三答"]


@pytest.mark.parametrize("earlier", [(), EARLIER], ids=["new", "on top of an earlier file"])
def test_two_imports_at_once_double_nothing(tmp_path: Path, earlier: tuple[Json, ...]) -> None:
    """Four threads that import one file leave what a single one leaves."""
    long = talk("长", *[said(f"第{i}句", id=f"{i}") for i in range(1200)], title="长谈")
    write(tmp_path / "file", *FILE, long)
    whole = _begun(tmp_path, earlier)
    bring(whole, tmp_path / "file")
    store = _begun(tmp_path, earlier)
    barrier = Barrier(4)

    def run(_: int) -> ImportReport:
        barrier.wait()
        return bring(store, tmp_path / "file")

    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(run, range(4)))
    assert all(report.refused == () for report in reports)
    assert _state(store) == _state(whole)
    assert texts(messages(store, "长")) == [f"第{i}句" for i in range(1200)]
    before = objects(store)
    bring(store, tmp_path / "file", covered=lambda _: 9999)
    assert objects(store) == before
