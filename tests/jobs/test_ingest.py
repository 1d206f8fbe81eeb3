"""Ingest: what is new comes in, at the cost of what is new, and what cannot be read is named."""

import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from paramecium.errors import Stopped, StoreUnavailable
from paramecium.jobs import ingest
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.base import Blob
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import HashEmbedder, WatchedStore
from tests.jobs.lives import Life, manifest_of, messages, objects, put, small_life

MANIFEST, NEXT = keys.manifest("main"), keys.next_manifest("main")


def plain(calls: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Returns calls without what differs from run to run: the ULIDs in the names of segments."""
    return [(name, key if "segments/" not in key else f"a segment.{key.rpartition('.')[2]}") for name, key in calls]


def grown(folder: Path, count: int) -> Life:
    """Returns a life of `count` short messages in conversations of 101, all ingested, and one more that is not."""
    life = Life(RamStore(), folder)
    for c in range(-(-count // 101)):
        chain = messages(f"c{c:03d}", min(101, count - c * 101))
        short = [Entry(e.id, 0, parent=e.parent, role=e.role, text=f"{c}第{i}句") for i, e in enumerate(chain)]
        life.archive.append(f"c{c:03d}", short, 0)
    life.ingest()
    life.now.forward(hours=3)
    life.archive.append("new", [Entry("new-0", 0, role="user", text="今天下雨")], 0)
    return life


def test_everything_said_comes_in(tmp_path: Path) -> None:
    """All words of the person and the AI are counted and found; a system message is none of them."""
    life = small_life(RamStore(), tmp_path)
    report = life.ingest()
    assert (report.messages, report.unreadable, report.renewed) == (31, (), False)
    assert report.passages > 31
    found = life.verify()
    assert (found.entries, found.passages, found.waiting, found.problems) == (31, report.passages, 31, ())
    assert [w.conversation for w in life.recall("桂花", exact=True).windows]


def test_nothing_new_writes_nothing(tmp_path: Path) -> None:
    """A run that finds nothing reads manifests and one list of arrivals, and writes nothing."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    before = objects(life.store)
    watched = WatchedStore(life.store)
    assert ingest.ingest(life.indexer(watched), check=False) == ingest.IngestReport()
    assert watched.calls == [("get", MANIFEST), ("get", NEXT), ("get", MANIFEST), ("list", keys.arrivals("main"))]
    assert objects(life.store) == before


class CountedBytes(WatchedStore):
    """Counts the bytes that are read."""

    read = 0

    def get(self, key: str) -> Blob:
        """Counts and reads."""
        blob = super().get(key)
        self.read += len(blob.body)
        return blob

    def fetch(self, key: str, folder: Path) -> Path:
        """Counts and fetches."""
        path = super().fetch(key, folder)
        self.read += path.stat().st_size
        return path


def test_the_ten_thousandth_message_costs_what_the_hundredth_did(tmp_path: Path) -> None:
    """The store calls of one new message are these, however long the life; what is read is one segment at most."""
    costs: list[int] = []
    for count in (99, 9_999):
        life = grown(tmp_path / str(count), count)
        watched = CountedBytes(life.store)
        assert ingest.ingest(life.indexer(watched), check=False).messages == 1
        assert plain(watched.calls) == [
            ("get", MANIFEST),
            ("get", NEXT),
            ("get", MANIFEST),
            ("list", keys.arrivals("main")),
            ("list", keys.conversation("main", "new")),
            ("get", keys.block("main", "new", 0)),
            ("fetch", "a segment.vectors"),
            ("fetch", "a segment.words"),
            ("create", "a segment.vectors"),
            ("create", "a segment.words"),
            ("replace", MANIFEST),
        ]
        costs.append(watched.read)
        assert life.verify().problems == ()
    largest = max(s.vectors.bytes + s.words.bytes for s in manifest_of(life.store).segments)
    assert costs[1] < largest + 3 * len(life.store.get(MANIFEST).body) < 400_000


def test_a_check_reads_the_whole_index_once(tmp_path: Path) -> None:
    """With the check each object of the index is read once, besides."""
    life = grown(tmp_path, 9_999)
    named = [o.key for o in manifest_of(life.store).objects()]
    watched = WatchedStore(life.store)
    ingest.ingest(life.indexer(watched))
    assert len(named) >= 10
    assert sorted(key for name, key in watched.calls if name == "fetch") == sorted(named)


class StoppingEmbedder(HashEmbedder):
    """Asks the job to stop once it has embedded so many texts."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at, self.stopping = at, threading.Event()

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeds, and asks to stop."""
        rows = super().passages(texts)
        if len(self.embedded) >= self.at:
            self.stopping.set()
        return rows


def test_a_stopped_ingest_ends_at_the_next_step_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """No text but those of the batch in hand is embedded twice, and none after the stop."""
    life = grown(tmp_path, 1)
    life.archive.append("long", [Entry(f"l{i}", 0, role="user", text=f"第{i}句") for i in range(1499)], 0)
    life.embedder = embedder = StoppingEmbedder(at=700)
    with pytest.raises(Stopped):
        life.ingest(StoppingStore(life.store, embedder.stopping.is_set))
    assert 700 <= len(embedder.embedded) < 700 + 16
    covered = manifest_of(life.store).coverage.conversations
    assert (covered.get("new", 0), covered.get("long", 0)) in {(1, 499), (1, 500), (0, 500)}
    embedder.stopping.clear()
    embedder.at = 10**9
    life.ingest(StoppingStore(life.store, embedder.stopping.is_set))
    times = Counter(embedder.embedded)
    assert len(times) == 1500
    assert set(times.values()) == {1, 2}
    assert sum(n == 2 for n in times.values()) <= 216
    assert life.verify().problems == ()


def test_a_damaged_block_hides_its_conversation_only(tmp_path: Path) -> None:
    """The conversation is named and the rest comes in; once the block is mended, the nightly job takes it in."""
    life = small_life(RamStore(), tmp_path)
    key = keys.block("main", "banjia", 0)
    whole = life.store.get(key).body
    put(life.store, key, whole[:-9])
    report = life.ingest()
    assert report.messages == 21
    assert len(report.unreadable) == 1
    assert key in report.unreadable[0]
    assert [p for p in life.verify().problems if key not in p] == []
    assert life.verify().problems != ()
    life.now.forward(hours=5)
    life.say("shishi", Entry("later", 0, role="user", text="晚些时候"))
    assert life.fts().unreadable == report.unreadable
    assert life.ingest().unreadable == ()
    put(life.store, key, whole)
    assert life.fts().found == 10
    assert life.verify().problems == ()
    assert (life.verify().entries, life.verify().waiting) == (32, 0)


def test_what_is_no_conversation_stops_nobody(tmp_path: Path) -> None:
    """A folder that a stranger put among the conversations is named and passed over, by every job."""
    life = small_life(RamStore(), tmp_path)
    life.store.create("main/archive/conversations/My Notes/00000000.json", b"[]")
    life.ingest()
    report = life.fts()
    assert report.messages == 31
    assert "My Notes" in report.unreadable[0]
    assert any("My Notes" in problem for problem in life.verify().problems)


def test_an_archive_put_back_from_a_copy_with_other_blocks_is_taken_in_anew(tmp_path: Path) -> None:
    """An index that ends within a block of the archive is made anew, and everything is right."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    for key in list(life.store.list(keys.conversation("main", "shishi"))):
        life.store.delete(key)
    life.archive.append("shishi", messages("shishi", 9), 0)
    life.now.forward(minutes=1)
    life.say("shishi", Entry("more", 0, role="user", text="又一句"))
    assert life.ingest().renewed
    assert [p for p in life.verify().problems if "/arrivals/" not in p] == []
    assert life.verify().entries == 38


def test_damage_in_what_grows_is_found_without_a_check(tmp_path: Path) -> None:
    """The segment that grows is hashed when it is opened; when it is damaged, the index is made anew."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    put(life.store, manifest_of(life.store).segments[-1].words.key, b"")
    life.say("shishi", Entry("late", 0, role="user", text="还有一句"))
    report = ingest.ingest(life.indexer(), check=False)
    assert report.renewed
    assert life.verify().problems == ()
    assert life.verify().entries == 32


def test_downloads_do_not_pile_up(tmp_path: Path) -> None:
    """After a run no more is kept on this machine than the manifest names."""
    life = small_life(RamStore(), tmp_path)
    life.ingest()
    indexer = life.indexer()
    for i in range(3):
        life.say("shishi", Entry(f"late-{i}", 0, role="user", text=f"还有第{i}句"))
        assert ingest.ingest(indexer, check=False).messages == 1
        assert len(list(indexer.cache.folder.iterdir())) <= 2


class AwayStore(WatchedStore):
    """Is a store that cannot be reached."""

    def _enter(self, name: str, key: str) -> None:
        raise StoreUnavailable("the bucket is away")


def test_a_store_that_is_away_is_said_to_be(tmp_path: Path) -> None:
    """The error of the store comes through as it is."""
    life = small_life(RamStore(), tmp_path)
    with pytest.raises(StoreUnavailable):
        life.ingest(AwayStore(life.store))
