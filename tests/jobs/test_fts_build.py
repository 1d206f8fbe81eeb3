"""The nightly job: finds what arrivals were lost for, builds the full text, and never claims what it lacks."""

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from paramecium.errors import Stopped
from paramecium.index import compaction
from paramecium.jobs import fts_build, garbage, ingest
from paramecium.jobs.rebuild import rebuild
from paramecium.messages import Entry, dump_json
from paramecium.recall.views import open_fulltext
from paramecium.store import keys
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import WatchedStore
from tests.jobs.lives import Life, MeanwhileStore, indexed, manifest_of, messages, objects, put, small_life

CURSOR = keys.cursor("main", "fts_build")
MANIFEST = keys.manifest("main")


def built_life(folder: Path) -> Life:
    """Returns a life whose index and full text hold everything."""
    life = small_life(RamStore(), folder)
    life.fts()
    return life


def test_the_full_text_holds_everything(tmp_path: Path) -> None:
    """The job ingests, builds and notes its success; nothing waits afterwards."""
    life = small_life(RamStore(), tmp_path)
    assert fts_build.last_success(life.store, "main") is None
    assert life.verify().waiting == 31
    assert life.fts() == fts_build.FullTextReport(messages=31, found=0, removed=0, built=True)
    assert (life.verify().waiting, life.verify().problems) == (0, ())
    assert fts_build.last_success(life.store, "main") == life.now()


def test_a_second_night_without_news_builds_nothing(tmp_path: Path) -> None:
    """The manifest stays as it is, and only the success is noted anew."""
    life = built_life(tmp_path)
    before = objects(life.store)
    life.now.forward(days=1)
    assert not life.fts().built
    assert {k for k, body in objects(life.store).items() if before.get(k) != body} == {CURSOR}


def test_a_life_without_a_word_has_no_full_text(tmp_path: Path) -> None:
    """The job ends well over nothing."""
    life = Life(RamStore(), tmp_path)
    assert life.fts() == fts_build.FullTextReport()
    assert set(objects(life.store)) == {CURSOR}


class DeafStore(WatchedStore):
    """Loses every arrival."""

    def create(self, key: str, body: bytes) -> str:
        """Creates everything but arrivals."""
        return "" if "/arrivals/" in key else super().create(key, body)


def test_a_lost_arrival_is_ingested_in_the_same_run(tmp_path: Path) -> None:
    """Words no arrival tells of are found at night and stand in the full text of that night."""
    life = built_life(tmp_path)
    deaf = Life(DeafStore(life.store), tmp_path, life.now)
    deaf.say("maobao", Entry("lost", 0, role="user", text="风铃草开了"))
    deaf.archive.append("neu", messages("neu", 4), 0)
    assert life.ingest().messages == 0
    assert not life.recall("风铃草", exact=True).windows
    assert life.verify().waiting == 5
    assert life.fts() == fts_build.FullTextReport(messages=36, found=5, removed=0, built=True)
    assert life.recall("风铃草", exact=True).windows
    assert (life.verify().waiting, life.verify().problems) == (0, ())


def _claimed(life: Life) -> None:
    """Asserts that the full text a manifest names holds exactly what it says it covers."""
    named = manifest_of(life.store).fulltext
    assert named is not None
    fulltext = open_fulltext(life.store, named, life.folder)
    saids = {(c, n) for c, n, _ in indexed(life.store, life)["saids"]}
    assert {place for place in saids if fulltext.covers(*place)} == fulltext.places()


def test_an_ingest_meanwhile_waits_for_the_next_night(tmp_path: Path) -> None:
    """A manifest that is newer gets the full text that was built, which covers a little less and says so."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()

    def meanwhile() -> None:
        life.say("shishi", Entry("late", 0, role="user", text="风铃草开了"))
        life.ingest()

    assert life.fts(MeanwhileStore(life.store, "replace", MANIFEST, meanwhile)).messages == 31
    _claimed(life)
    assert (life.verify().waiting, life.verify().problems) == (1, ())
    assert life.recall("风铃草", exact=True).windows
    assert life.fts().messages == 32
    assert life.verify().waiting == 0


def test_an_index_that_covers_less_meanwhile_gets_a_full_text_of_its_own(tmp_path: Path) -> None:
    """A full text is never named by a manifest that covers less than the file."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()

    def shrink() -> None:
        for key in list(life.store.list(keys.conversation("main", "mianshi"))):
            life.store.delete(key)
        rebuilt = life.indexer()
        ingest.renew(rebuilt)

    fts = life.fts(MeanwhileStore(life.store, "replace", MANIFEST, shrink))
    assert fts.messages == 23
    _claimed(life)


def test_two_nights_at_once_and_a_rebuild_beside_one(tmp_path: Path) -> None:
    """Whichever full text is named in the end, it is one that stands and says what it holds."""
    for other in (fts_build.build, rebuild):
        life = small_life(RamStore(), tmp_path)
        life.ingest()
        life.fts(MeanwhileStore(life.store, "replace", MANIFEST, partial(other, life.indexer())))
        _claimed(life)
        assert life.verify().problems == ()
        life.fts()
        assert life.verify().waiting == 0


def test_it_compacts_beside_an_ingest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many segments are merged, on top of what an ingest writes meanwhile."""
    monkeypatch.setattr(compaction, "LIVE_MAX", 99)
    monkeypatch.setattr(compaction, "GROWN_PASSAGES_MAX", 1)
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 2)
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    assert len(manifest_of(life.store).segments) > 5
    monkeypatch.setattr(compaction, "LIVE_MAX", 3)
    life.now.forward(minutes=1)

    def meanwhile() -> None:
        life.say("shishi", Entry("late", 0, role="user", text="风铃草开了"))
        life.ingest()

    life.fts(MeanwhileStore(life.store, "replace", MANIFEST, meanwhile))
    assert len(manifest_of(life.store).segments) <= 3
    assert (life.verify().problems, life.verify().entries) == ((), 32)
    assert len(indexed(life.store, life)["saids"]) == 32


def test_a_damaged_or_missing_full_text_is_built_anew(tmp_path: Path) -> None:
    """Until then it is left out and recall finds the same by going through the words."""
    life = built_life(tmp_path)
    whole = life.recall("桂花", exact=True)
    for body in (b"", None, b"SQLite format 3\0"):
        named = manifest_of(life.store).fulltext
        assert named is not None
        life.store.delete(named.file.key)
        if body is not None:
            life.store.create(named.file.key, body)
        assert any(named.file.key in p for p in life.verify().problems)
        assert replace(life.recall("桂花", exact=True), damaged=False) == whole
        life.now.forward(hours=1)
        assert life.fts().built
        assert life.verify().problems == ()


def test_a_full_text_that_is_gone_is_missed_though_its_download_is_here(tmp_path: Path) -> None:
    """What stands in the store counts, not a copy on this machine."""
    life = built_life(tmp_path)
    indexer = life.indexer()
    assert not fts_build.build(indexer).built
    life.store.delete(manifest_of(life.store).fulltext.file.key)  # type: ignore[union-attr]
    assert fts_build.build(indexer).built
    assert life.verify().problems == ()


def test_a_note_of_success_that_cannot_be_read_is_made_anew(tmp_path: Path) -> None:
    """A damaged cursor fails no night."""
    life = built_life(tmp_path)
    for body in (b"", b"[]", dump_json({"at": "gestern"})):
        put(life.store, CURSOR, body)
        life.fts()
        assert fts_build.last_success(life.store, "main") == life.now()


def test_it_stops_in_the_middle_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked to stop while it builds, it names nothing; the next run does."""
    life = small_life(RamStore(), tmp_path)
    life.archive.append("lang", [Entry(f"l{i}", 0, role="user", text=f"第{i}句") for i in range(1200)], 0)
    life.ingest()
    stopping = threading.Event()
    indexer = life.indexer(StoppingStore(life.store, stopping.is_set))
    told: list[int] = []

    def progress(done: int, of: int) -> None:
        told.append(done)
        if (done, of) == (1000, 1231):
            stopping.set()

    with pytest.raises(Stopped):
        fts_build.build(replace(indexer, progress=progress))
    assert told[-1] == 1000
    assert manifest_of(life.store).fulltext is None
    assert life.fts().messages == 1231


def test_nothing_is_cleared_while_a_conversation_cannot_be_read(tmp_path: Path) -> None:
    """The old index may be the last to hold its words; once the block is mended, the next night clears."""
    life = built_life(tmp_path)
    old = {o.key for o in manifest_of(life.store).objects()}
    block = keys.block("main", "banjia", 0)
    body = life.store.get(block).body
    put(life.store, block, b"[")
    rebuild(life.indexer())
    life.now.forward(days=3)
    report = life.fts()
    assert (report.removed, len(report.unreadable)) == (0, 1)
    assert garbage.orphans(life.indexer()) == []
    assert old <= set(objects(life.store))
    put(life.store, block, body)
    assert life.fts().removed > 0
    assert not old & set(objects(life.store))
    assert (life.verify().entries, life.verify().problems) == (31, ())
