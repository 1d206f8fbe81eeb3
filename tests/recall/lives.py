"""A small life in memory: said into an archive, ingested and built as the test says, searched as in the house."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from paramecium.archive.conversations import Archive
from paramecium.index.fold import fold
from paramecium.index.segment_cache import SegmentCache
from paramecium.jobs import fts_build, ingest
from paramecium.jobs.indexer import Indexer
from paramecium.messages import Entry, Kind, Role
from paramecium.recall.catalogue import Catalogue
from paramecium.recall.search import Finder, Found, Query
from paramecium.recall.semantic import Nearness
from paramecium.recall.tool import Recall
from paramecium.recall.views import LifeViews
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock, HashEmbedder

SHANGHAI = timezone(timedelta(hours=8))
FIRST_DAY = datetime(2026, 1, 1, 9, tzinfo=SHANGHAI)


class Life:
    """Holds an archive, its jobs and its ways to search."""

    def __init__(self, folder: Path, store: ObjectStore | None = None) -> None:
        self.folder = folder
        self.store = store or RamStore()
        self.clock = FixedClock(datetime(2026, 6, 12, 1, tzinfo=UTC), step=timedelta(milliseconds=1))
        self.archive = Archive(self.store, "main", now=self.clock)
        self.embedder = HashEmbedder()
        self.warned: list[str] = []
        self.tails: dict[str, int] = {}
        self._leaves: dict[str, str] = {}
        self.said: dict[tuple[str, int], str] = {}
        self.forget_caches()

    def forget_caches(self) -> None:
        """Begins a new process: nothing is loaded."""
        cache = SegmentCache(self.store, self.folder)
        self.views = LifeViews(self.store, "main", self.archive, cache, self.folder, self.warned.append)
        self.finder = Finder(self.views, Nearness(lambda: self.embedder, self.warned.append))
        self.recall = Recall(self.finder, "zh", self.warned.append)
        self.catalogue = Catalogue(self.views, self.archive)

    def add(self, conversation: str, *entries: Entry) -> None:
        """Appends entries as one block; their numbers are given here."""
        at = self.tails.get(conversation, 0)
        self.archive.append(conversation, entries, at)
        for n, entry in enumerate(entries, at):
            if entry.is_message:
                self.said[(conversation, n)] = entry.text
            if entry.kind == "message":
                self._leaves[conversation] = entry.id
        self.tails[conversation] = at + len(entries)

    def say(
        self, conversation: str, *texts: str, at: str | None = None, parent: str | None = "", **fields: str
    ) -> None:
        """Says texts one after the other, each a block; person and AI take turns. "" hangs on the one before."""
        for text in texts:
            n = self.tails.get(conversation, 0)
            role: Role = "user" if n % 2 == 0 else "assistant"
            moment = (FIRST_DAY + timedelta(days=len(self.said) // 7, minutes=n)).isoformat() if at is None else at
            above = self._leaves.get(conversation) if parent == "" else parent
            who = {"speaker": ("阿月", "小草")[n % 2]} | fields
            entry = Entry(f"{conversation}-{n}", n, parent=above, role=role, at=moment, text=text, **who)  # type: ignore[arg-type]
            self.add(conversation, entry)
            parent = ""

    def mark(self, conversation: str, kind: Kind, value: str) -> None:
        """Adds an entry that is no message."""
        n = self.tails.get(conversation, 0)
        self.add(conversation, Entry(f"{conversation}-{kind}-{n}", n, kind=kind, text=value))

    def indexer(self) -> Indexer:
        """Returns what jobs write the index with."""
        cache = SegmentCache(self.store, self.folder / "jobs")
        return Indexer(self.store, "main", self.archive, self.embedder, cache, now=self.clock)

    def ingest(self) -> None:
        """Brings what has arrived into the index."""
        ingest.ingest(self.indexer())

    def build(self) -> None:
        """Runs the nightly job."""
        fts_build.build(self.indexer())

    def find(self, text: str, **limits: object) -> Found:
        """Recalls."""
        return self.finder.recall(Query(text, **limits))  # type: ignore[arg-type]

    def texts(self, text: str, **limits: object) -> list[str]:
        """Returns the words of the windows found."""
        return [w.text for w in self.find(text, **limits).windows]

    def holding(self, query: str) -> set[tuple[str, int]]:
        """Returns what a LIKE over folded texts would: every message that holds the query."""
        return {place for place, text in list(self.said.items()) if fold(query) in fold(text)}


class OtherModel(HashEmbedder):
    """Is a model that the index was not made with."""

    id = "hash/2"


class Constant(HashEmbedder):
    """Finds everything equally near, so that what stands beside resemblance decides."""

    def _vector(self, text: str) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
        return np.ones(self.dims, np.float32)


_WORDS = """
设备 设备清单 用户身份 端到端测试 留守女士 喝茶 茶 红茶 奶茶 下雨 散步 生日 约定 电影 音乐 猫 狗 上海 北京 海边 夏天
工作 项目 代码 测试 结果 NAS docker Python café ＡＢＣ abc 電腦 电脑 體重 体重 讓 让 👩‍👩‍👧 😀 《 》 ( ) ： …
"""
WORDS: Sequence[str] = _WORDS.split()


def sentence(rng: random.Random, words_max: int = 9) -> str:
    """Returns words thrown together."""
    return "".join(rng.choice(WORDS) for _ in range(rng.randint(1, words_max)))


def talkative(life: Life, seed: int, messages: int, conversations: int) -> None:
    """Says so many messages in so many conversations, some of them on branches and some without a date."""
    rng = random.Random(seed)
    for _ in range(messages):
        conversation = f"t{rng.randrange(conversations)}"
        tail = life.tails.get(conversation, 0)
        parent = f"{conversation}-{rng.randrange(tail)}" if tail and rng.random() < 0.05 else ""
        at = "" if rng.random() < 0.1 else None
        life.say(conversation, sentence(rng), parent=parent, at=at)


# Every code point, halves of pairs, U+2028 and whole emoji, long runs and nothing at all.
ANY_WORDS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.sampled_from(["", "好的。", "👩‍👩‍👧" * 30, "一\u2028二\u0085三", "\ud800", "x" * 800]),
    st.builds(
        lambda text, times: text * times, st.text("我们说好了。！\n ,a", min_size=1, max_size=9), st.integers(1, 99)
    ),
)
