"""Several runs that write one index: whoever is slower looks again, and nothing is lost or taken twice."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from paramecium.errors import VersionMismatch
from paramecium.index import compaction
from paramecium.index.manifest import Manifest, Standing
from paramecium.jobs import fts_build, ingest, pending
from paramecium.jobs.indexer import Batch
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.jobs.lives import Life, MeanwhileStore, OtherEmbedder, indexed, manifest_of, messages, small_life

MANIFEST = keys.manifest("main")


def _late(life: Life, text: str = "还有一句") -> None:
    life.say("shishi", Entry(f"late-{len(text)}", 0, role="user", text=text))


def test_messages_another_run_took_in_are_not_taken_twice(tmp_path: Path) -> None:
    """An ingest that was overtaken by another finds all done, and each message stands once."""
    life = small_life(RamStore(), tmp_path)
    store = MeanwhileStore(life.store, "create", ".vectors", life.ingest)
    assert life.ingest(store).messages == 0
    assert store.happened
    assert life.verify().problems == ()
    assert len(indexed(life.store, life)["saids"]) == 31


def test_a_new_full_text_meanwhile_is_kept(tmp_path: Path) -> None:
    """An ingest that meets a manifest with another full text puts its messages on top of it, embedded once."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    _late(life)
    embedded = len(life.embedder.embedded)
    store = MeanwhileStore(life.store, "replace", MANIFEST, lambda: _fts_of_the_old(life))
    assert life.ingest(store).messages == 1
    assert len(life.embedder.embedded) == embedded + 1
    assert manifest_of(life.store).fulltext is not None
    report = life.verify()
    assert (report.problems, report.waiting) == ((), 1)


def _fts_of_the_old(life: Life) -> None:
    """Builds the full text over what stands, without what is pending."""
    indexer = life.indexer()
    fts_build._with_fulltext(indexer, indexer.standing())


def test_two_models_never_meet_in_one_index(tmp_path: Path) -> None:
    """A run whose model was replaced meanwhile writes nothing into the index of the new one."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    _late(life)
    other = Life(life.store, tmp_path, life.now, OtherEmbedder())
    assert life.ingest(MeanwhileStore(life.store, "replace", MANIFEST, other.ingest)).messages == 0
    assert other.verify().problems == ()
    assert manifest_of(life.store).model == OtherEmbedder.id
    assert len(indexed(life.store, life)["saids"]) == 32


def test_a_batch_that_does_not_join_is_refused(tmp_path: Path) -> None:
    """Coverage that is not where it begins, an index of another model, or a new one that is gone: VersionMismatch."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    indexer = life.indexer()
    vectors = indexer.embed((), lambda _: None)
    with pytest.raises(VersionMismatch, match="took these messages in"):
        indexer.commit(indexer.standing(), Batch(begins={"shishi": 2}, ends={"shishi": 3}), vectors)
    other = replace(indexer, embedder=OtherEmbedder())
    with pytest.raises(VersionMismatch, match="made the index anew, with the model hash/1"):
        other.commit(other.standing(), Batch(), other.embed((), lambda _: None))
    beside = replace(indexer, slot=keys.next_manifest("main"))
    with pytest.raises(VersionMismatch, match="put the new index in place"):
        beside.commit(Standing(Manifest(), None), Batch(), vectors)


def test_many_segments_are_merged_and_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the segments, no more than twelve are live, and every message stands once."""
    monkeypatch.setattr(compaction, "GROWN_PASSAGES_MAX", 2)
    life = small_life(RamStore(), tmp_path)
    for i in range(30):
        life.say("lang", *messages("lang", 30)[i : i + 1])
        life.ingest()
        assert len(manifest_of(life.store).segments) <= compaction.LIVE_MAX
    assert life.verify().problems == ()
    assert len(indexed(life.store, life)["saids"]) == 61


def _at_once(*runs: object) -> list[object]:
    """Runs all at once in threads; returns what they return, or the VersionMismatch they end with."""
    barrier = threading.Barrier(len(runs))

    def one(run: object) -> object:
        barrier.wait()
        try:
            return run()  # type: ignore[operator]
        except VersionMismatch as error:
            return error

    with ThreadPoolExecutor(len(runs)) as pool:
        return list(pool.map(one, runs))


@pytest.mark.parametrize("kind", ["ram", "local"])
@pytest.mark.parametrize("second", ["ingest", "fts", "append"])
def test_two_at_once(second: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ingest beside an ingest, a nightly job or a conversation: after one more run everything is there, once."""
    monkeypatch.setattr(ingest, "BATCH_PASSAGES", 6)
    monkeypatch.setattr(pending, "ENTRIES_AT_ONCE", 12)
    monkeypatch.setattr(compaction, "GROWN_PASSAGES_MAX", 12)
    life = small_life(RamStore() if kind == "ram" else LocalStore(tmp_path / "data"), tmp_path)
    life.ingest()
    for i in range(3):
        life.say("maobao", Entry(f"round-{i}", 0, role="user", text=f"第{i}轮"))
        life.archive.append(f"neu-{i}", messages(f"neu-{i}", 20), 0)

        def talk(i: int = i) -> None:
            life.say("geliao", *messages("geliao", 15)[i * 5 : i * 5 + 5])

        others = {"ingest": life.ingest, "fts": life.fts, "append": talk}
        _at_once(life.ingest, others[second])
        assert life.verify().problems == ()
    life.ingest()
    life.fts()
    report = life.verify()
    assert (report.problems, report.waiting) == ((), 0)
    assert report.entries == 31 + 3 * 21 + (15 if second == "append" else 0)
    assert len(indexed(life.store, life)["saids"]) == report.entries
