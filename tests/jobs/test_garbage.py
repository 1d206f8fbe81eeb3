"""Garbage: only what nobody named for a day, and what was not made today."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from paramecium import clock
from paramecium.jobs import garbage, renewal
from paramecium.jobs.ingest import reconcile
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder
from tests.jobs.lives import Life, MeanwhileStore, OtherEmbedder, manifest_of, objects, put, small_life

NEXT = keys.next_manifest("main")


def _orphan(life: Life, part: str = "vectors") -> str:
    key = keys.segment("main", clock.new_id(life.now()), part)
    life.store.create(key, b"left by a killed run")
    return key


def test_orphans_of_killed_runs_are_cleared_after_a_day(tmp_path: Path) -> None:
    """One that is younger may be of a job that has not named it yet; verify tells of one that is older."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    orphan = _orphan(life)
    life.now.forward(hours=23, minutes=59)
    assert garbage.clear(life.indexer()) == 0
    assert life.verify().problems == ()
    life.now.forward(minutes=2)
    assert [p for p in life.verify().problems if orphan in p] == list(life.verify().problems) != []
    assert garbage.clear(life.indexer()) == 1
    assert orphan not in objects(life.store)
    assert life.verify().problems == ()


def test_what_a_manifest_of_the_last_day_named_stays(tmp_path: Path) -> None:
    """Whatever is said, built and renewed hour by hour: nothing named within 24 hours is ever missing."""
    life = small_life(RamStore(), tmp_path)
    named: dict[str, datetime] = {}
    for hour in range(60):
        life.now.forward(hours=1)
        life.say("shishi", Entry(f"h{hour}", 0, role="user", text=f"第{hour}小时"))
        if hour % 20 == 9:
            life.embedder = OtherEmbedder() if hour % 40 == 9 else HashEmbedder()
        life.fts() if hour % 4 == 0 else life.ingest()
        named |= {o.key: life.now() for o in manifest_of(life.store).objects()}
        standing = set(objects(life.store, "derived/"))
        recent = {key for key, at in named.items() if at > life.now() - timedelta(hours=24)}
        assert recent <= standing, hour
    assert len(named) > len(recent) > 30
    life.now.forward(hours=25)
    life.fts()
    last = manifest_of(life.store)
    left = {o.key for o in last.objects()} | {r.key for r in last.retired}
    assert set(named) & set(objects(life.store)) <= left
    assert len(left) < 6


def test_quiet_days_clear_as_well(tmp_path: Path) -> None:
    """What was retired goes a day later though no manifest was written since; until a job ran it is no problem."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    life.say("shishi", Entry("late", 0, role="user", text="还有一句"))
    life.fts()
    retired = [r.key for r in manifest_of(life.store).retired]
    assert len(retired) >= 3
    life.now.forward(days=9)
    assert life.verify().problems == ()
    assert life.fts().removed == len(retired)
    assert life.verify().problems == ()
    assert life.fts().removed == 0


def test_strange_names_are_cleared_and_manifests_are_not(tmp_path: Path) -> None:
    """A name that tells no moment was given by no job; both manifests stay, and so does all outside the index."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    strange = ["notes.txt", "segments/zzzzzzzzzzzzzzzzzzzzzzzzzz.words", "fulltext/.sqlite1".replace(".", "")]
    for name in strange:
        life.store.create(keys.index_objects("main") + name, b"x")
    life.store.create("derived/main/stats/2020-01-01.json", b"{}")
    renewal.beside(life.indexer())
    before = set(objects(life.store))
    assert [p for p in life.verify().problems if "named by no manifest" in p] == list(life.verify().problems)
    assert len(life.verify().problems) == 3
    assert garbage.clear(life.indexer()) == 3
    assert before - set(objects(life.store)) == {keys.index_objects("main") + name for name in strange}


def test_a_damaged_manifest_clears_nothing(tmp_path: Path) -> None:
    """Who cannot read what is named clears nothing."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    _orphan(life)
    life.now.forward(days=2)
    for key in (keys.manifest("main"), NEXT):
        body = objects(life.store, key).get(key)
        put(life.store, key, b"{")
        assert garbage.clear(life.indexer()) == 0
        life.store.delete(key)
        if body:
            life.store.create(key, body)
    assert garbage.clear(life.indexer()) == 1


def test_an_index_put_in_place_while_clearing_is_whole(tmp_path: Path) -> None:
    """A new index begun days ago, put in place just between the reading of the manifests, loses no object."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    indexer = life.indexer()
    beside = renewal.beside(indexer)
    reconcile(beside)
    life.now.forward(days=2)
    for end in ("next.json", "manifest.json", "/index/"):
        kept = objects(life.store)
        placing = MeanwhileStore(life.store, "list" if end == "/index/" else "get", end, lambda: _place(life))
        garbage.clear(replace(life.indexer(), store=placing))
        assert placing.happened
        assert {o.key for o in manifest_of(life.store).objects()} <= set(objects(life.store))
        assert life.verify().problems == ()
        for key, body in kept.items():
            put(life.store, key, body)


def _place(life: Life) -> None:
    indexer = life.indexer()
    renewal.put_in_place(indexer, replace(indexer, slot=NEXT))
