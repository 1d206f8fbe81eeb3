"""An index made anew beside the old one: the old serves until the new is whole, whatever happens in between."""

from dataclasses import replace
from pathlib import Path

import pytest

from paramecium.errors import Stopped, VersionMismatch
from paramecium.jobs import ingest, renewal
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import HashEmbedder, WatchedStore
from tests.jobs.lives import Life, MeanwhileStore, OtherEmbedder, indexed, manifest_of, objects, put, small_life

MANIFEST, NEXT = keys.manifest("main"), keys.next_manifest("main")


def old_life(folder: Path) -> Life:
    """Returns a life that is indexed with another model than it now has."""
    life = small_life(RamStore(), folder)
    life.embedder = OtherEmbedder()
    life.fts()
    life.embedder = HashEmbedder()
    return life


def test_what_needs_a_new_index(tmp_path: Path) -> None:
    """A sound index of this model does not; another model, a damaged or missing part, or a begun one does."""
    life = small_life(RamStore(), tmp_path)
    assert not renewal.needed(life.indexer())
    life.fts()
    assert not renewal.needed(life.indexer())
    assert renewal.needed(replace(life.indexer(), embedder=OtherEmbedder()))
    segment = manifest_of(life.store).segments[0]
    for key in (segment.words.key, segment.vectors.key, MANIFEST):
        body = life.store.get(key).body
        put(life.store, key, body[:-1])
        assert renewal.needed(life.indexer())
        life.store.delete(key)
        assert renewal.needed(life.indexer()) or key == MANIFEST
        put(life.store, key, body)
        assert not renewal.needed(life.indexer())
    renewal.beside(life.indexer())
    assert renewal.needed(life.indexer(), check=False)


def test_a_damaged_download_is_fetched_anew(tmp_path: Path) -> None:
    """A copy on this machine that was damaged costs a download, not a new index; a copy of what is gone is no help."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    indexer = life.indexer()
    segment = manifest_of(life.store).segments[0]
    path = life.store.fetch(segment.words.key, indexer.cache.folder)
    path.write_bytes(path.read_bytes()[:-1])
    assert not renewal.needed(indexer)
    life.store.delete(segment.words.key)
    assert renewal.needed(indexer)


class AtMost:
    """Asks to stop after so many store calls that write."""

    def __init__(self, creates: int) -> None:
        self.left = creates

    def store(self, inner: ObjectStore) -> StoppingStore:
        """Returns the store a job gets."""
        watched = WatchedStore(inner)
        return StoppingStore(watched, lambda: sum(name == "create" for name, _ in watched.calls) > self.left)


def test_the_old_index_serves_until_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several stopped runs recall answers by words; then the new model answers, and each text was embedded once.

    Each run is stopped while it writes the segment of its second batch: that batch alone is embedded again.
    """
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 8)
    life = old_life(tmp_path)
    stops = 0
    for _ in range(20):
        assert life.recall("桂花").windows
        assert life.recall("桂花", exact=True).windows
        if not renewal.needed(life.indexer()):
            break
        assert manifest_of(life.store).model == OtherEmbedder.id
        try:
            life.ingest(AtMost(4).store(life.store))
        except Stopped:
            stops += 1
    assert stops >= 2
    assert manifest_of(life.store).model == HashEmbedder.id
    assert life.verify().problems == ()
    assert not list(life.store.list(NEXT))
    assert len(life.embedder.embedded) <= life.verify().passages + (stops + 1) * (8 + 2 * 8) + 20


def test_the_old_objects_are_cleared_after_a_day_and_not_before(tmp_path: Path) -> None:
    """What the old manifest named stands 24 hours, and is gone at the first nightly job after them."""
    life = old_life(tmp_path)
    old = {o.key for o in manifest_of(life.store).objects()}
    life.now.forward(days=3)
    life.fts()
    life.now.forward(hours=23, minutes=59)
    life.fts()
    assert old < set(objects(life.store))
    life.now.forward(minutes=2)
    assert life.fts().removed >= len(old)
    assert not old & set(objects(life.store))
    assert life.verify().problems == ()


def test_a_new_index_of_a_third_model_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renewal that was begun with one model is not gone on with by another."""
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 8)
    life = old_life(tmp_path)
    with pytest.raises(Stopped):
        life.ingest(AtMost(4).store(life.store))
    assert renewal.beside(life.indexer()).standing().manifest.segments

    class Third(HashEmbedder):
        id = "hash/3"
        dims = 32

    life.embedder = Third()
    life.ingest()
    assert manifest_of(life.store).model == "hash/3"
    assert life.verify().problems == ()


def test_one_who_puts_in_place_what_another_has_changes_nothing(tmp_path: Path) -> None:
    """Two renewals at once: the slower finds its own new manifest gone, and never an empty index in place."""
    life = old_life(tmp_path)
    for name, key in (("get", NEXT), ("create", ".vectors"), ("replace", NEXT), ("replace", MANIFEST)):
        again = old_life(tmp_path)
        store = MeanwhileStore(again.store, name, key, again.ingest)
        try:
            again.ingest(store)
        except VersionMismatch:
            again.ingest()
        assert store.happened, name
        again.ingest()
        assert len(indexed(again.store, again)["saids"]) == 31
        assert (again.verify().problems, manifest_of(again.store).model) == ((), HashEmbedder.id)
    beside = renewal.beside(life.indexer())
    renewal.begin_again(life.indexer())
    with pytest.raises(VersionMismatch):
        renewal.put_in_place(life.indexer(), beside)


def test_what_serves_is_not_set_back_by_a_killed_run_s_manifest(tmp_path: Path) -> None:
    """A new manifest that was put in place and not removed is removed, though what serves has grown since."""
    life = old_life(tmp_path)
    store = MeanwhileStore(life.store, "delete", NEXT, lambda: kept.update(objects(life.store, NEXT)))
    kept: dict[str, bytes] = {}
    life.ingest(store)
    life.say("shishi", Entry("late", 0, role="user", text="还有一句"))
    life.ingest()
    grown = manifest_of(life.store)
    put(life.store, NEXT, kept[NEXT])
    life.now.forward(minutes=5)
    assert not life.ingest().renewed
    assert manifest_of(life.store).segments == grown.segments
    assert (life.verify().problems, list(life.store.list(NEXT))) == ((), [])
    put(life.store, NEXT, kept[NEXT])
    renewal.put_in_place(life.indexer(), replace(life.indexer(), slot=NEXT))
    assert manifest_of(life.store) == grown


def test_what_the_old_index_took_in_meanwhile_is_in_the_new_one(tmp_path: Path) -> None:
    """A message that came to the old index while the new one was put in place is in the new one afterwards."""
    life = old_life(tmp_path)
    late = Life(life.store, tmp_path, life.now, OtherEmbedder())

    def meanwhile() -> None:
        late.say("shishi", Entry("late", 0, role="user", text="还有一句"))
        indexer = late.indexer()
        ingest.reconcile(indexer)

    assert life.ingest(MeanwhileStore(life.store, "replace", MANIFEST, meanwhile)).messages == 32
    assert (life.verify().problems, life.verify().entries) == ((), 32)
    assert len(indexed(life.store, life)["saids"]) == 32
