"""The nightly job and the rebuild over documents: they are in the full text, and earlier versions leave the index."""

from collections.abc import Callable
from pathlib import Path

import pytest

from paramecium.index.segment_cache import SegmentCache
from paramecium.jobs import fts_build, ingest, rebuild, vault_ingest
from paramecium.recall.search import Found
from paramecium.recall.views import open_fulltext
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder, Killed, WatchedStore
from tests.jobs.hand import DIARY, FACT, MEMO, WORDS, Desk
from tests.jobs.lives import Life, OtherEmbedder, copied, indexed, manifest_of, objects
from tests.jobs.test_vault_ingest import life_with_documents, ways

ASKED = ("䴙䴘", "凤凰单丛", "宽带", "桂花", "给外婆打了电话", "怕打雷")


def answers(life: Life) -> list[Found]:
    """Returns what a fresh process finds."""
    finder = [(life.recall(text), life.recall(text, exact=True)) for text in ASKED]
    return [found for both in finder for found in both]


def everywhere(life: Life, text: str) -> list[str]:
    """Returns the keys of segments that hold a text."""
    cache = SegmentCache(life.store, life.folder / "look")
    opened = [cache.open(name) for name in manifest_of(life.store).segments]
    return [s.name.words.key for s in opened if any(text in t for t in s.texts())]


def test_the_full_text_holds_the_documents_once(tmp_path: Path) -> None:
    """Documents are found through the full text, each once, and a second run has nothing to do."""
    life, _ = life_with_documents(tmp_path)
    before = [found.windows for found in answers(life)]
    assert life.fts().messages == 31 + 4
    named = manifest_of(life.store).fulltext
    assert named is not None
    fulltext = open_fulltext(life.store, named, tmp_path / "fulltext")
    documents = {name.conversation for name in manifest_of(life.store).vault.values()}
    assert {c for c, _ in fulltext.places()} > documents
    assert all(fulltext.covers(c, 0) for c in documents)
    after = [found.windows for found in answers(life)]
    assert [[w.text for w in ws] for ws in after] == [[w.text for w in ws] for ws in before]
    assert ways(life, "凤凰单丛") == [["facts/茶"]] * 2
    assert not life.fts().built
    assert life.verify().problems == ()


def test_what_was_replaced_leaves_segments_and_full_text_at_night(tmp_path: Path) -> None:
    """After the edit the old words still stand in a segment and are found by nobody; after the night nowhere."""
    life, desk = life_with_documents(tmp_path)
    life.fts()
    desk.write(DIARY, "整理了一天旧照片。")
    desk.remove(FACT)
    life.ingest()
    assert everywhere(life, "䴙䴘") != []
    assert ways(life, "䴙䴘") == ways(life, "凤凰单丛") == [[], []]
    report = life.fts()
    assert (report.built, report.messages) == (True, 31 + 3)
    assert everywhere(life, "旧照片") != []
    assert everywhere(life, "䴙䴘") == everywhere(life, "凤凰单丛") == []
    assert manifest_of(life.store).dead == ()
    assert ways(life, "䴙䴘") == ways(life, "凤凰单丛") == [[], []]
    assert ways(life, "旧照片") == [["diary/2026-06-11"]] * 2
    assert life.verify().problems == ()
    desk.write(DIARY, WORDS[DIARY])
    assert life.ingest().documents == 1
    assert ways(life, "䴙䴘") == [["diary/2026-06-11"]] * 2
    assert life.verify().problems == ()


def test_a_life_of_documents_alone_loses_the_last_one(tmp_path: Path) -> None:
    """An index of which nothing is left is sound, and takes in what comes then."""
    life = Life(RamStore(), tmp_path, by_hand=True)
    desk = Desk(life.store)
    desk.write(FACT, WORDS[FACT])
    life.fts()
    desk.remove(FACT)
    life.fts()
    assert everywhere(life, "凤凰单丛") == []
    assert life.recall("凤凰单丛").windows == ()
    desk.write(FACT, WORDS[FACT])
    life.fts()
    assert ways(life, "凤凰单丛") == [["facts/茶"]] * 2
    assert life.verify().problems == ()


def test_all_derived_deleted_and_made_again_gives_the_same_recall(tmp_path: Path) -> None:
    """The same windows with the same scores come back, documents included."""
    life, _ = life_with_documents(tmp_path)
    life.fts()
    expected, whole = answers(life), indexed(life.store, life)
    assert all(found.windows for found in expected)
    for key in list(life.store.list("derived/")):
        life.store.delete(key)
    assert life.recall("䴙䴘", exact=True).windows == ()
    life.fts()
    assert answers(life) == expected
    assert indexed(life.store, life) == whole
    assert life.verify().problems == ()


@pytest.mark.parametrize("job", [rebuild.rebuild, ingest.ingest])
def test_a_new_index_holds_the_documents_as_they_are(job: Callable[..., object], tmp_path: Path) -> None:
    """A rebuild or another model windows the documents anew, and nothing of earlier versions."""
    life, desk = life_with_documents(tmp_path)
    desk.write(DIARY, "整理了一天旧照片。")
    life.ingest()
    if job is ingest.ingest:
        life.embedder = OtherEmbedder()
    job(life.indexer())
    assert (manifest_of(life.store).model, manifest_of(life.store).dead) == (life.embedder.id, ())
    assert everywhere(life, "䴙䴘") == []
    assert ways(life, "旧照片") == [["diary/2026-06-11"]] * 2
    assert ways(life, "宽带") == [[MEMO[:-3]]] * 2
    assert life.verify().problems == ()


def _edited(folder: Path, *, night: bool) -> Life:
    life, desk = life_with_documents(folder)
    if night:
        life.fts()
    desk.write(DIARY, "整理了一天旧照片。")
    desk.write("diary/2026-06-13.md", "端午，包了粽子。")
    desk.remove(FACT)
    if night:
        life.ingest()
    return life


Run = Callable[[Life, ObjectStore], object]
JOBS: dict[str, tuple[Run, bool]] = {
    "ingest": (lambda life, store: ingest.ingest(life.indexer(store)), False),
    "fts": (lambda life, store: fts_build.build(life.indexer(store)), True),
    "rebuild": (lambda life, store: rebuild.rebuild(life.indexer(store)), True),
}


@pytest.mark.parametrize("name", JOBS)
def test_a_job_that_died_anywhere_is_finished_by_its_next_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before and after each store call of a run with edited documents: nothing is damaged, one more run ends it."""
    monkeypatch.setattr(vault_ingest, "BATCH_PASSAGES", 1)
    monkeypatch.setattr(vault_ingest, "GETS_AT_ONCE", 1)
    job, night = JOBS[name]
    begun = _edited(tmp_path, night=night)
    whole = Life(copied(begun.store), tmp_path, begun.now, by_hand=True)
    counted = WatchedStore(whole.store)
    job(whole, counted)
    expected = _state(whole)
    assert whole.verify().problems == ()
    for die_at in range(1, len(counted.calls) + 1):
        for after in (False, True):
            life = Life(copied(begun.store), tmp_path, begun.now, HashEmbedder(), by_hand=True)
            with pytest.raises(Killed):
                job(life, WatchedStore(life.store, die_at=die_at, after=after))
            assert life.verify().problems == (), counted.calls[die_at - 1]
            job(life, life.store)
            assert _state(life) == expected, counted.calls[die_at - 1]
    assert len(counted.calls) >= 20


def _state(life: Life) -> object:
    manifest = manifest_of(life.store)
    stands = objects(life.store, "main/")
    return indexed(life.store, life), stands, dict(manifest.vault), manifest.dead, ways(life, "旧照片")
