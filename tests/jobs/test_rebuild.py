"""Rebuild: the index is made anew from the archive alone, and gives the same recall."""

from pathlib import Path

import pytest

from paramecium.errors import Stopped
from paramecium.jobs.rebuild import rebuild
from paramecium.store import keys
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import WatchedStore
from tests.jobs.lives import Life, indexed, manifest_of, objects, small_life

QUERIES = ("桂花", "豆包打疫苗", "面试紧张", "罐头", "猫\u2028", "搬家")


def _answers(life: Life) -> list[object]:
    return [life.recall(q, exact=exact).to_json() for q in QUERIES for exact in (False, True)]


def test_without_anything_derived_the_same_recall_comes_back(tmp_path: Path) -> None:
    """All of derived/ is removed and rebuilt: every query gets the same windows as before."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    life.fts()
    before, archive = _answers(life), objects(life.store, "main/")
    assert any(answer["windows"] for answer in before)  # type: ignore[index]
    for key in objects(life.store, "derived/"):
        life.store.delete(key)
    assert _answers(life) != before
    report = rebuild(life.indexer())
    assert (report.messages, report.renewed) == (31, True)
    assert _answers(life) == before
    assert objects(life.store, "main/") == archive
    assert (life.verify().problems, life.verify().waiting) == ((), 0)


def test_ingest_and_fts_rebuild_it_as_well(tmp_path: Path) -> None:
    """The jobs themselves make everything again where nothing stands."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    before = _answers(life)
    for key in objects(life.store, "derived/"):
        life.store.delete(key)
    life.ingest()
    life.fts()
    assert _answers(life) == before
    assert (life.verify().problems, life.verify().waiting) == ((), 0)


def test_a_rebuild_of_nothing_is_an_empty_index(tmp_path: Path) -> None:
    """A life without a word is rebuilt, and a first word comes in afterwards."""
    life = Life(RamStore(), tmp_path)
    assert rebuild(life.indexer()).messages == 0
    assert life.verify().problems == ()
    small_life(life.store, tmp_path)
    assert life.ingest().messages == 31
    assert life.verify().problems == ()


def test_every_row_is_made_again_and_the_old_one_serves_meanwhile(tmp_path: Path) -> None:
    """A stopped rebuild changes nothing of what serves; the next ingest ends it, with objects of its own."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    old, before = manifest_of(life.store), _answers(life)
    watched = WatchedStore(life.store)
    with pytest.raises(Stopped):
        rebuild(life.indexer(StoppingStore(watched, lambda: any(k.endswith(".words") for _, k in watched.calls[-1:]))))
    assert manifest_of(life.store) == old
    assert _answers(life) == before
    assert list(life.store.list(keys.next_manifest("main")))
    assert life.ingest().renewed
    new = manifest_of(life.store)
    assert {o.key for o in new.objects()}.isdisjoint(o.key for o in old.objects())
    assert indexed(life.store, life)["saids"] == indexed(life.store, life)["saids"]
    assert life.verify().problems == ()
