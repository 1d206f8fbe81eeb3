"""A small life for the tests of the jobs: thirty messages in Chinese with branches, titles, a choice, an image."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.archive.heads import put_head
from paramecium.archive.images import put_image
from paramecium.index.manifest import Manifest, read_manifest
from paramecium.index.segment_cache import SegmentCache
from paramecium.jobs import fts_build, ingest
from paramecium.jobs.indexer import Indexer
from paramecium.jobs.verify import VerifyReport, verify
from paramecium.messages import Entry, Json
from paramecium.recall.search import Finder, Found, Query
from paramecium.recall.semantic import Nearness
from paramecium.recall.views import LifeViews
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock, HashEmbedder, WatchedStore
from tests.jobs.hand import vault

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x02\x08\0\0\0\0"
WORDS = (
    "今天带豆包去打疫苗了",
    "它乖不乖？",
    "一路都在叫，回家就躲进柜子里",
    "给它一点时间，晚上再喂罐头",
    "老家的桂花开了\r\n满院子都是香的",
    "🐱\u2028猫也闻到了",
    "明天面试，有点紧张。" * 45,
    "你准备得很充分，深呼吸",
)


class OtherEmbedder(HashEmbedder):
    """Is another model: its vectors are of other dims and mean nothing to the first."""

    id = "hash/2"
    dims = 48


def messages(conversation: str, count: int, **fields: Any) -> list[Entry]:
    """Returns a chain of messages, the person first; each differs from every other."""
    return [
        Entry(
            id=f"{conversation}-{i}",
            n=0,
            parent=f"{conversation}-{i - 1}" if i else None,
            role="assistant" if i % 2 else "user",
            speaker="小草" if i % 2 else "阿月",
            at=f"2026-06-{1 + i % 9:02d}T10:{i % 60:02d}:00.000+08:00",
            text=f"{WORDS[i % len(WORDS)]}（{conversation}第{i}句）",
            **fields,
        )
        for i in range(count)
    ]


@dataclass
class Life:
    """Is a store with a life in it, and all that works on it; `store` may be watched, `at_rest` is what lies below.

    `by_hand` says that documents are read as well.
    """

    store: ObjectStore
    folder: Path
    now: FixedClock = field(default_factory=FixedClock)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    by_hand: bool = False

    @property
    def archive(self) -> Archive:
        """Returns the archive of the life main."""
        return Archive(self.store, "main", now=self.now)

    def indexer(self, store: ObjectStore | None = None, **options: Any) -> Indexer:
        """Returns an indexer as a fresh process has it, whose cache is empty."""
        store = store or self.store
        options = {"vault": vault(store)} | options if self.by_hand else options
        archive = Archive(store, "main", now=self.now)
        # A store in memory keeps downloads under their keys: each process gets its own, to see what really stands.
        cache = SegmentCache(store, _fresh(self.folder))
        return Indexer(store, "main", archive, self.embedder, cache, now=self.now, **options)

    def ingest(self, store: ObjectStore | None = None) -> ingest.IngestReport:
        """Runs the ingest as a fresh process does."""
        return ingest.ingest(self.indexer(store))

    def fts(self, store: ObjectStore | None = None) -> fts_build.FullTextReport:
        """Runs the nightly job as a fresh process does."""
        return fts_build.build(self.indexer(store))

    def verify(self) -> VerifyReport:
        """Compares everything."""
        return verify(self.indexer())

    def say(self, conversation: str, *drafts: Entry) -> None:
        """Appends to a conversation behind what stands, one block each."""
        tail = sum(map(len, self.archive.blocks(conversation)))
        for i, draft in enumerate(drafts):
            self.archive.append(conversation, [draft], tail + i)

    def finder(self) -> Finder:
        """Returns what answers queries, as a fresh process has it."""
        folder = _fresh(self.folder)
        views = LifeViews(self.store, "main", self.archive, SegmentCache(self.store, folder), folder)
        return Finder(views, Nearness(lambda: self.embedder))

    def recall(self, text: str, **options: Any) -> Found:
        """Asks a fresh process."""
        return self.finder().recall(Query(text, **options))


def small_life(store: ObjectStore, folder: Path) -> Life:
    """Returns a life of 31 messages in four conversations; nothing of it is indexed yet."""
    life = Life(store, folder)
    head = put_head(store, "main", {"system": "你是小草", "tools": []})
    image = put_image(store, "main", PNG)
    live = messages("maobao", 10, head=head)
    life.say("maobao", *live[:6])
    life.archive.append("maobao", [Entry("title-1", 0, "rename", text="豆包"), *live[6:]], 6)
    life.archive.append("banjia", messages("banjia", 9, images=(image,)), 0)
    branch = [Entry("banjia-b", 0, parent="banjia-2", role="user", speaker="阿月", text="换个说法：还是别搬了")]
    life.say("banjia", *branch, Entry("banjia-c", 0, "choose", text="banjia-8"))
    life.archive.append("mianshi", messages("mianshi", 8), 0)
    life.archive.append("mianshi", [Entry("star", 0, "star", text="true")], 8)
    life.say("shishi", *messages("shishi", 3), Entry("sys", 0, role="system", text="系统的话不算"))
    return life


def objects(store: ObjectStore, prefix: str = "") -> dict[str, bytes]:
    """Returns all that stands under a prefix."""
    return {key: store.get(key).body for key in store.list(prefix)}


def copied(store: ObjectStore) -> RamStore:
    """Returns a store in memory with the same objects."""
    copy = RamStore()
    for key, body in objects(store).items():
        copy.create(key, body)
    return copy


def put(store: ObjectStore, key: str, body: bytes) -> None:
    """Puts other bytes in an object's place, as a failing disk or a stranger does."""
    store.delete(key)
    store.create(key, body)


def manifest_of(store: ObjectStore) -> Manifest:
    """Returns the manifest that serves."""
    return read_manifest(store, keys.manifest("main")).manifest


def indexed(store: ObjectStore, life: Life) -> Json:
    """Returns what the index is made of, without the names that differ from run to run."""
    manifest = manifest_of(store)
    cache = SegmentCache(store, _fresh(life.folder))
    segments = [cache.open(name) for name in manifest.segments]
    saids = [s.said(m) for s in segments for m in range(len(s.n))]
    return {
        "model": manifest.model,
        "coverage": dict(manifest.coverage.conversations),
        "saids": sorted((s.conversation, s.n, s.text) for s in saids),
        "marks": sorted((m.conversation, m.n, m.kind, m.value) for s in segments for m in s.marks),
    }


class MeanwhileStore(WatchedStore):
    """Lets something else happen just before the first call of this name on a key with this end."""

    def __init__(self, inner: ObjectStore, name: str, end: str, then: Callable[[], object]) -> None:
        super().__init__(inner)
        self._at, self._then, self.happened = (name, end), then, False

    def _enter(self, name: str, key: str) -> None:
        super()._enter(name, key)
        if not self.happened and name == self._at[0] and key.endswith(self._at[1]):
            self.happened = True
            self._then()


def _fresh(folder: Path) -> Path:
    return folder / clock.new_id()
