"""Keeping when it dies at any store call, and when two keep at once."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paramecium.errors import VersionMismatch
from paramecium.memories import keeping
from paramecium.memories.events import Event, Forgotten
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.store import keys
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder, Killed, WatchedStore
from tests.memories.lives import AT, Life, added, plain, recalled


class OtherEmbedder(HashEmbedder):
    id = "other/1"
    dims = 48


def _nothing(life: Life) -> None:
    pass


def _more(life: Life) -> None:
    keep_snapshot(life.keeper())
    life.ledger().append([*added(6, 9), recalled(1, 3)])


def _other_model(life: Life) -> None:
    _more(life)
    life.embedder = OtherEmbedder()


def _forgotten(life: Life) -> None:
    _more(life)
    life.ledger().append([Event("f", AT, "test", Forgotten("m-1"))])


def _begun(prepare: Callable[[Life], None], folder: Path) -> Life:
    life = Life(RamStore(), folder)
    life.ledger().append([*added(9), recalled(0, 1, 2)])
    prepare(life)
    return life


@pytest.mark.parametrize("prepare", [_nothing, _more, _other_model, _forgotten])
@pytest.mark.parametrize("anew", [False, True])
def test_a_run_that_died_anywhere_is_finished_by_the_next(
    prepare: Callable[[Life], None], anew: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands after a kill is served whole, and one more run makes the view of a run that did not die."""
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 4)
    whole = _begun(prepare, tmp_path)
    counted = WatchedStore(whole.store)
    keep_snapshot(whole.keeper(counted), anew=anew)
    expected = plain(whole.views().view())
    for die_at in range(1, len(counted.calls) + 1):
        for after in (False, True):
            life = _begun(prepare, tmp_path)
            with pytest.raises(Killed):
                keep_snapshot(life.keeper(WatchedStore(life.store, die_at=die_at, after=after)), anew=anew)
            view = life.views().view()
            assert not view.damaged
            assert plain(view, vectors=False)["words"] == expected["words"]
            keep_snapshot(life.keeper(), anew=anew)
            assert plain(life.views().view()) == expected, counted.calls[die_at - 1]
    assert whole.told == []


def test_two_at_once_leave_one_whole_snapshot(tmp_path: Path) -> None:
    """Keepers that run side by side over a folder, while events come, lose nothing and harm nothing."""
    life = Life(LocalStore(tmp_path / "data"), tmp_path)
    life.ledger().append(added(4))

    def keep(keeper: Keeper) -> None:
        for _ in range(5):
            try:
                keep_snapshot(keeper)
            except VersionMismatch:
                continue

    keepers = [life.keeper() for _ in range(3)]
    threads = [threading.Thread(target=keep, args=(keeper,)) for keeper in keepers]
    for thread in threads:
        thread.start()
    for i in range(4, 12):
        life.ledger().append(added(1, i))
    for thread in threads:
        thread.join()
    keep_snapshot(life.keeper())
    once = Life(RamStore(), tmp_path / "once")
    once.ledger().append(added(12))
    keep_snapshot(once.keeper())
    assert plain(life.views().view()) == plain(once.views().view())
    assert life.told == []


def test_the_loser_of_a_race_embeds_nothing_twice(tmp_path: Path) -> None:
    """Who meets a newer pointer starts again from it, with the vectors it has made, and gives up after five."""
    life = Life(RamStore(), tmp_path)
    life.ledger().append(added(3))
    faster: list[int] = []

    class Raced(WatchedStore):
        def create(self, key: str, body: bytes) -> str:
            version = super().create(key, body)
            if key != keys.memory_snapshot("main") and not faster:
                faster.append(1)
                other = Life(life.store, tmp_path)
                other.ledger().append(added(1, 3))
                keep_snapshot(other.keeper())
            return version

    assert keep_snapshot(life.keeper(Raced(life.store))).embedded == 0
    assert (len(life.embedder.embedded), len(life.views().view().rows)) == (3, 4)

    class AlwaysRaced(WatchedStore):
        def replace(self, key: str, body: bytes, expected_version: str) -> str:
            raise VersionMismatch(key)

    life.ledger().append(added(1, 4))
    before = life.store.get(keys.memory_snapshot("main"))
    with pytest.raises(VersionMismatch, match="5 writers"):
        keep_snapshot(life.keeper(AlwaysRaced(life.store)))
    assert life.store.get(keys.memory_snapshot("main")) == before
    assert len(life.embedder.embedded) == 4
