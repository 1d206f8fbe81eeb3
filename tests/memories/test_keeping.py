"""Keeping: a view made of snapshot and tail is the one made of all events; nothing is written when nothing changed."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.errors import Stopped
from paramecium.memories import keeping, keeping_plan
from paramecium.memories.events import Event, Forgotten, Retired, Superseded
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Kept
from paramecium.memories.snapshot import read_pointer
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder, WatchedStore
from tests.memories.lives import AT, HISTORIES, Life, added, events, plain, recalled


class OtherEmbedder(HashEmbedder):
    id = "other/1"
    dims = 48


def _life(folder: Path, *some: Event) -> Life:
    life = Life(RamStore(), folder)
    life.ledger().append(list(some))
    return life


def _pointer(life: Life) -> object:
    return read_pointer(life.store.get(keys.memory_snapshot("main")), "main")


@settings(max_examples=60, deadline=None)
@given(history=HISTORIES, cuts=st.tuples(st.integers(0, 24), st.integers(0, 24)), whole=st.booleans())
def test_snapshot_and_tail_find_what_all_events_find(history: list[Event], cuts: tuple[int, int], whole: bool) -> None:
    """Wherever the snapshot was kept, once or twice, the view equals one of the whole ledger at once."""
    with tempfile.TemporaryDirectory() as name:
        life, first, second = Life(RamStore(), Path(name)), min(cuts), max(cuts)
        warm = life.views()
        for part in (history[:first], history[first:second], history[second:]):
            life.ledger().append(part)
            warm.view()
            keep_snapshot(life.keeper(), whole=whole)
        life_tail = Life(RamStore(), Path(name) / "tail")
        life_tail.ledger().append(history[:first])
        keep_snapshot(life_tail.keeper())
        life_tail.ledger().append(history[first:])
        at_once = Life(RamStore(), Path(name) / "once")
        at_once.ledger().append(history)
        expected = plain(at_once.views().view(), vectors=False)
        assert plain(life_tail.views().view(), vectors=False) == expected
        keep_snapshot(at_once.keeper(), anew=True)
        expected = plain(at_once.views().view())
        assert plain(life.views().view()) == expected
        assert plain(warm.view()) == expected
        assert life.told == []


def test_nothing_is_written_when_nothing_changed(tmp_path: Path) -> None:
    """A second run writes nothing, and so does one over an empty ledger."""
    life = _life(tmp_path, *added(5), recalled(0, 1, 2))
    assert keep_snapshot(life.keeper()) == Kept(5, based=True, written=True)
    watched = WatchedStore(life.store)
    assert keep_snapshot(life.keeper(watched)) == Kept()
    assert {name for name, _ in watched.calls} == {"get", "fetch", "list"}
    empty = Life(RamStore(), tmp_path / "empty")
    assert keep_snapshot(empty.keeper(), whole=True) == Kept()
    assert list(empty.store.list("")) == []


def test_one_new_memory_is_one_small_block(tmp_path: Path) -> None:
    """Only what is new is embedded and written; the base stays until it is asked for, or the tail is long."""
    life = _life(tmp_path, *added(5))
    keep_snapshot(life.keeper())
    life.embedder.embedded.clear()
    life.ledger().append(added(1, 5))
    watched = WatchedStore(life.store)
    assert keep_snapshot(life.keeper(watched)) == Kept(1, based=False, written=True)
    assert len(life.embedder.embedded) == 1
    assert [name for name, _ in watched.calls if name in ("create", "replace")] == ["create", "replace"]
    assert keep_snapshot(life.keeper(), whole=True) == Kept(0, based=True, written=True)


def test_many_small_blocks_and_a_long_tail_become_a_base(tmp_path: Path) -> None:
    """After 16 blocks of vectors, or 256 events, everything is folded into one."""
    life = _life(tmp_path, *added(1))
    keep_snapshot(life.keeper())
    based = []
    for i in range(1, 19):
        life.ledger().append(added(1, i))
        based.append(keep_snapshot(life.keeper()).based)
    assert based == [*[False] * 16, True, False]
    retire = [Event(f"t-{i}", AT, "test", Retired("m-0")) for i in range(keeping_plan.TAIL_MAX)]
    life.ledger().append(retire)
    assert keep_snapshot(life.keeper()).based


def test_a_change_of_model_embeds_everything_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No vector of the other model is served beside the new ones; messages of moments are embedded from their text."""
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 4)
    life = _life(tmp_path, *added(9), recalled(0, 1, 2), recalled(1, 3))
    keep_snapshot(life.keeper())
    assert (life.views().view().model, len(life.views().view().moment_rows)) == ("hash/1", 2)
    life.embedder = OtherEmbedder()
    texts = {"q-1": "想喝茶"}
    keep_snapshot(life.keeper(text_of=lambda _, message: texts.get(message)))
    view = life.views().view()
    assert (view.model, view.rows.shape, view.mean.shape) == ("other/1", (9, 48), (48,))
    assert (view.moment_rows.shape, view.moment_memories) == ((1, 48), ((3,),))
    assert keep_snapshot(life.keeper(text_of=lambda _, message: texts.get(message))) == Kept()


def test_long_work_can_be_stopped_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was embedded before a run was stopped is not embedded again."""
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 4)
    monkeypatch.setattr(keeping, "EMBED_AT_ONCE", 2)
    life = _life(tmp_path, *added(40))
    breaths: list[int] = []

    def breathe() -> None:
        breaths.append(1)
        if len(breaths) == 11:
            raise Stopped("now")

    with pytest.raises(Stopped):
        keep_snapshot(life.keeper(breathe=breathe))
    assert len(life.views().view().rows) == 20
    life.embedder.embedded.clear()
    seen: list[tuple[int, int]] = []
    keep_snapshot(life.keeper(progress=lambda done, of: seen.append((done, of))))
    assert (len(life.embedder.embedded), seen[-1]) == (20, (20, 20))
    assert len(life.views().view().rows) == 40


def test_off_path_memories_are_not_live_and_others_stay(tmp_path: Path) -> None:
    """What a look at a conversation says replaces what was said of it before, and of it alone."""
    life = _life(tmp_path, *added(6), *events([Superseded("m-1", "m-2")]))
    keep_snapshot(life.keeper(), lambda _: {"c-0": ("m-0",), "c-2": ("m-5", "m-99")})
    assert life.views().view().live.tolist() == [False, False, True, True, True, False]
    assert keep_snapshot(life.keeper(), lambda _: {"c-0": ()}).written
    assert life.views().view().live.tolist() == [True, False, True, True, True, False]
    assert not keep_snapshot(life.keeper(), lambda _: {"c-0": ()}).written


def test_what_is_forgotten_leaves_every_block_that_is_named(tmp_path: Path) -> None:
    """After a memory is forgotten the next run writes a base without its words, and names no older block."""
    life = _life(tmp_path, *added(3), recalled(0, 1, 2))
    keep_snapshot(life.keeper())
    word = "满院子都是香的".encode()
    (before,) = life.store.list(keys.memory_blocks("main"))
    assert word in life.store.get(before).body
    life.ledger().append([Event("f", AT, "test", Forgotten("m-1"))])
    assert keep_snapshot(life.keeper()).based
    named = [o.key for o in _pointer(life).objects()]  # type: ignore[attr-defined]
    assert before not in named
    assert not any(word in life.store.get(key).body for key in named)
    assert keep_snapshot(life.keeper()) == Kept()
