"""The warm reader: two store calls when nothing is new; what is damaged is told and never served."""

import threading
from pathlib import Path

import pytest

from paramecium.errors import Damaged, StoreUnavailable
from paramecium.memories.events import Event, Retired
from paramecium.memories.keeping import keep_snapshot
from paramecium.store import keys
from paramecium.store.base import Blob
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.memories.lives import AT, Life, added, plain, recalled

POINTER = keys.memory_snapshot("main")


def _life(folder: Path, count: int = 4) -> Life:
    life = Life(RamStore(), folder)
    life.ledger().append([*added(count), recalled(0, 1, 2), recalled(1, 3)])
    keep_snapshot(life.keeper())
    life.ledger().append(added(1, count))
    keep_snapshot(life.keeper())
    return life


def _put(life: Life, key: str, body: bytes) -> None:
    life.store.delete(key)
    life.store.create(key, body)


def test_nothing_new_costs_two_calls_and_no_new_view(tmp_path: Path) -> None:
    """A warm reader asks for the pointer and the ledger's next number; an event there costs a GET more."""
    life = _life(tmp_path)
    watched = WatchedStore(life.store)
    views = life.views(watched)
    view = views.view()
    watched.calls.clear()
    assert views.view() is view
    assert [name for name, _ in watched.calls] == ["get_if_changed", "get"]
    life.ledger().append([Event("t", AT, "test", Retired("m-1"))])
    watched.calls.clear()
    assert views.view().live.tolist() == [True, False, True, True, True]
    assert [name for name, _ in watched.calls] == ["get_if_changed", "get", "get"]
    watched.calls.clear()
    views.view()
    assert len(watched.calls) == 2


def test_a_new_snapshot_is_loaded_without_reading_known_events_again(tmp_path: Path) -> None:
    """Once a keeper was there, only its blocks are fetched."""
    life = _life(tmp_path)
    watched = WatchedStore(life.store)
    views = life.views(watched)
    life.ledger().append(added(2, 5))
    before = views.view()
    keep_snapshot(life.keeper(), whole=True)
    watched.calls.clear()
    after = views.view()
    assert [name for name, _ in watched.calls] == ["get_if_changed", "fetch", "list"]
    assert (len(before.rows), len(after.rows)) == (5, 7)
    assert plain(after, vectors=False) == plain(before, vectors=False)


def test_without_any_snapshot_words_find_everything(tmp_path: Path) -> None:
    """A life whose job never ran, or an empty one, has a view; it is not damaged."""
    life = Life(RamStore(), tmp_path)
    view = life.views().view()
    assert (view.memories, view.rows.shape, view.moment_rows.shape, view.scans) == ((), (0, 0), (0, 0), ())
    life.ledger().append([*added(3), recalled(0, 1)])
    view = life.views().view()
    assert (len(view.memories), len(view.rows), view.model, view.damaged) == (3, 0, "", False)
    assert len(view.scans[0].scan.find("桂花", 10, newest_first=False)) == 1


def test_two_recalled_in_turn_are_neighbours_however_they_came(tmp_path: Path) -> None:
    """The edge of a call in the tail is laid over those of the snapshot, the most often first."""
    life = _life(tmp_path)
    assert dict(life.views().view().edges) == {1: ((3, 1),), 2: ((3, 1),), 3: ((1, 1), (2, 1))}
    views = life.views()
    views.view()
    life.ledger().append([recalled(2, 2), recalled(3, 0)])
    expected = {0: ((2, 1),), 1: ((3, 1),), 2: ((3, 2), (0, 1)), 3: ((2, 2), (1, 1))}
    assert dict(views.view().edges) == dict(life.views().view().edges) == expected
    assert life.views().view().moment_memories == ((1, 2), (3,), (2,), (0,))


@pytest.mark.parametrize("part", ["pointer", "base", "vectors"])
def test_damage_is_told_or_changes_nothing(part: str, tmp_path: Path) -> None:
    """Bytes flipped or cut off anywhere: the view is as before, or made of the events alone, and that is said."""
    life = _life(tmp_path)
    blocks = sorted(life.store.list(keys.memory_blocks("main")), key=lambda k: -len(life.store.get(k).body))
    key = {"pointer": POINTER, "base": blocks[0], "vectors": blocks[1]}[part]
    body, whole = life.store.get(key).body, plain(life.views().view())
    words = plain(life.views().view(), vectors=False)
    step = max(len(body) // 150, 1)
    flips = [body[:at] + bytes((body[at] ^ 1,)) + body[at + 1 :] for at in range(0, len(body), step)]
    found = 0
    for i, wrong in enumerate((*flips, *(body[:at] for at in range(0, len(body), step * 5)))):
        _put(life, key, wrong)
        life.told.clear()
        life.folder = tmp_path / f"{i}"  # another machine, which has downloaded nothing yet
        view = life.views().view()
        if view.damaged:
            found += 1
            assert (plain(view, vectors=False), len(view.rows), len(life.told)) == (words, 0, 1)
        else:
            assert plain(view) == whole
    assert found > 100
    keep_snapshot(life.keeper())
    assert plain(life.views().view()) == whole


def test_a_missing_block_is_told_once_and_made_anew(tmp_path: Path) -> None:
    """A reader without the block goes on by words; after the next run it has everything again."""
    life = _life(tmp_path)
    whole = plain(life.views().view())
    for key in list(life.store.list(keys.memory_blocks("main"))):
        life.store.delete(key)
    life.told.clear()
    life.folder = tmp_path / "another"
    views = life.views()
    assert views.view().damaged
    assert views.view().damaged
    assert len(life.told) == 1
    assert keep_snapshot(life.keeper()).based
    assert plain(views.view()) == whole


def test_an_event_that_cannot_be_read_is_told_and_the_rest_is_served(tmp_path: Path) -> None:
    """A broken event ends neither the view nor a later one; a store that is away does."""
    life = _life(tmp_path)
    keep_snapshot(life.keeper(), whole=True)
    life.store.create(keys.event("main", 7), b"{")
    views = life.views()
    assert len(views.view().memories) == 5
    assert len(views.view().memories) == 5
    assert [keys.event("main", 7) in sentence for sentence in life.told] == [True]

    class Away(RamStore):
        def get(self, key: str) -> Blob:
            raise StoreUnavailable("away")

    with pytest.raises(StoreUnavailable):
        Life(Away(), tmp_path).views().view()


def test_threads_share_one_reader(tmp_path: Path) -> None:
    """Eight threads that ask while events come get whole views, the last of them all."""
    life = Life(LocalStore(tmp_path / "data"), tmp_path)
    life.ledger().append(added(3))
    views, wrong = life.views(), list[object]()

    def ask() -> None:
        for _ in range(10):
            view = views.view()
            if len(view.memories) != len(view.live) or len(view.memories) != len(view.state.memories):
                wrong.append(view)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for i in range(3, 9):
        life.ledger().append(added(1, i))
        keep_snapshot(life.keeper())
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(views.view().memories) == len(views.view().rows) == 9


HOLE = keys.event("main", 8)


def _with_hole(folder: Path) -> tuple[Life, bytes]:
    """Returns a life whose ninth event is damaged, with what stood there; a snapshot tells of all before it."""
    life = _life(folder)
    assert life.ledger().append([*added(3, 8), Event("t", AT, "test", Retired("m-1"))]) == 11
    body = life.store.get(HOLE).body
    _put(life, HOLE, body[:-9])
    return life, body


def test_a_damaged_event_hides_nothing_behind_it_and_is_told(tmp_path: Path) -> None:
    """Every other event counts, whoever reads; one sentence names the key and what to do."""
    life, _ = _with_hole(tmp_path)
    for views in (life.views(), life.views()):
        life.told.clear()
        view = views.view()
        assert [memory.note.id for memory in view.memories][5:] == ["m-8", "m-10"]
        assert view.live.tolist() == [True, False, *[True] * 5]
        assert views.view() is view
        [told] = life.told
        assert HOLE in told
        assert "put the file back" in told


def test_a_mended_event_counts_at_the_next_view(tmp_path: Path) -> None:
    """Nobody has to start anything again."""
    life, body = _with_hole(tmp_path)
    views = life.views()
    before = views.view()
    _put(life, HOLE, body)
    assert plain(views.view()) == plain(life.views().view())
    assert len(views.view().memories) == len(before.memories) + 1


def test_the_snapshot_ends_before_a_damaged_event_and_goes_on_once_it_is_mended(tmp_path: Path) -> None:
    """Else an event put back would never be read; and to make all of it anew is refused, since less would stand."""
    life, body = _with_hole(tmp_path)
    keep_snapshot(life.keeper(), whole=True)
    assert any(HOLE in told for told in life.told)
    views = life.views()
    assert len(views.view().memories) == 7
    with pytest.raises(Damaged, match=HOLE):
        keep_snapshot(life.keeper(), anew=True)
    _put(life, HOLE, body)
    assert keep_snapshot(life.keeper(), whole=True).embedded == 2
    assert len(views.view().memories) == 8
    assert plain(views.view()) == plain(life.views().view())
