"""Settings become parts: the only place that names a concrete store, adapter or embedder.

Each part is built on first use. Invariant: building Parts touches neither network nor disk, so a door chooses which
parts it warms and when.
"""

import os
import tempfile
import threading
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium import clock
from paramecium.errors import BadSetting
from paramecium.messages import Json
from paramecium.settings import DEFAULT_ANTHROPIC_MODELS, Settings, read_settings, settings_from
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.stopping import StoppingStore

if TYPE_CHECKING:
    from paramecium.archive.conversations import Archive
    from paramecium.chat.turn import Chat
    from paramecium.index.embedder import Embedding
    from paramecium.index.segment_cache import SegmentCache
    from paramecium.jobs.fts_build import FullTextReport
    from paramecium.jobs.import_file import ImportReport
    from paramecium.jobs.indexer import Indexer
    from paramecium.jobs.ingest import IngestReport
    from paramecium.jobs.verify import VerifyReport
    from paramecium.recall.catalogue import Catalogue
    from paramecium.recall.search import Finder
    from paramecium.recall.tool import Recall
    from paramecium.recall.views import LifeViews
    from paramecium.upstream.choose import Upstreams

Progress = Callable[[int, int], None]


def silent(done: int, of: int) -> None:
    """Shows no progress."""


class Parts:
    """Holds the parts that all lives share; `of` gives those of one life. What is given replaces what is built."""

    def __init__(
        self,
        settings: Settings,
        store: ObjectStore,
        *,
        embedder: "Embedding | None" = None,
        upstreams: "Upstreams | None" = None,
        cache_folder: Path | None = None,
        now: clock.Now = clock.now,
    ) -> None:
        self.settings = settings
        self.store = store
        self.now = now
        self.cache_folder = cache_folder or Path(tempfile.gettempdir()) / "paramecium"
        self.stopping = threading.Event()
        self._embedder = embedder
        self._upstreams = upstreams
        self._lives: dict[str, LifeParts] = {}
        self._lock = threading.Lock()

    def of(self, life: str) -> "LifeParts":
        """Returns the parts of one life; raises BadId for a name no life can have."""
        with self._lock:
            return self._lives.setdefault(keys.check_life(life), LifeParts(self, life))

    @cached_property
    def embedder(self) -> "Embedding":
        """Returns the embedding model of its folder; raises ModelMissing."""
        from paramecium.index.embedder import Embedder, default_model_folder

        return self._embedder or Embedder(default_model_folder(), threads=embedding_threads())

    @cached_property
    def upstreams(self) -> "Upstreams":
        """Returns the ways to models."""
        from paramecium.upstream.choose import Upstreams

        return self._upstreams or Upstreams(self.settings)

    @cached_property
    def job_store(self) -> ObjectStore:
        """Returns the store as jobs get it: after `stopping` is set, its next call raises Stopped."""
        return StoppingStore(self.store, self.stopping.is_set)

    def chat(self, life: str) -> "Chat":
        """Returns what runs the turns of a life."""
        return self.of(life).chat

    def catalogue(self, life: str) -> "Catalogue":
        """Returns the list of a life's conversations."""
        return self.of(life).catalogue

    def search(self, life: str, query: Json) -> Json:
        """Returns what a recall finds, as the JSON every door prints; raises BadInput naming the field."""
        from paramecium.recall.tool import read_query

        return self.of(life).finder.recall(read_query(query)).to_json()

    def stores_ok(self) -> Json:
        """Returns whether the store can be read, and which models stand."""
        from paramecium.index.manifest import read_manifest

        read_manifest(self.store, keys.manifest("main"))
        return {"ok": True}

    async def close(self) -> None:
        """Closes connections and asks running jobs to stop."""
        self.stopping.set()
        if "upstreams" in self.__dict__:
            await self.upstreams.aclose()


class LifeParts:
    """Holds the parts of one life."""

    def __init__(self, shared: Parts, life: str) -> None:
        self._shared = shared
        self.life = life

    @cached_property
    def archive(self) -> "Archive":
        """Returns the archive."""
        from paramecium.archive.conversations import Archive

        return Archive(self._shared.store, self.life, now=self._shared.now)

    @cached_property
    def cache(self) -> "SegmentCache":
        """Returns the loaded segments of the index."""
        from paramecium.index.segment_cache import SegmentCache

        return SegmentCache(self._shared.store, self._shared.cache_folder)

    @cached_property
    def views(self) -> "LifeViews":
        """Returns what can be found at each moment."""
        from paramecium.recall.views import LifeViews

        shared = self._shared
        return LifeViews(shared.store, self.life, self.archive, self.cache, shared.cache_folder)

    @cached_property
    def finder(self) -> "Finder":
        """Returns what answers queries."""
        from paramecium.recall.search import Finder
        from paramecium.recall.semantic import Nearness

        return Finder(self.views, Nearness(lambda: self._shared.embedder))

    @cached_property
    def recall(self) -> "Recall":
        """Returns the tool the model calls."""
        from paramecium.recall.tool import Recall

        return Recall(self.finder, self._shared.settings.language)

    @cached_property
    def catalogue(self) -> "Catalogue":
        """Returns the list of conversations."""
        from paramecium.recall.catalogue import Catalogue

        return Catalogue(self.views, self.archive)

    @cached_property
    def chat(self) -> "Chat":
        """Returns what runs the turns."""
        from paramecium.chat.turn import Chat

        s = self._shared
        return Chat(self.archive, s.store, self.life, s.settings, s.upstreams, self.recall, now=s.now)

    def indexer(self, progress: Progress = silent) -> "Indexer":
        """Returns what jobs write the index with."""
        from paramecium.archive.conversations import Archive
        from paramecium.index.segment_cache import SegmentCache
        from paramecium.jobs.indexer import Indexer

        s = self._shared
        archive = Archive(s.job_store, self.life, now=s.now)
        cache = SegmentCache(s.job_store, s.cache_folder)
        return Indexer(s.job_store, self.life, archive, s.embedder, cache, progress=progress, now=s.now)

    def ingest(self, progress: Progress = silent) -> "IngestReport":
        """Brings what has arrived into the index."""
        from paramecium.jobs.ingest import ingest

        return ingest(self.indexer(progress))

    def build_fulltext(self, progress: Progress = silent) -> "FullTextReport":
        """Runs the nightly job."""
        from paramecium.jobs.fts_build import build

        return build(self.indexer(progress))

    def last_fulltext(self) -> datetime | None:
        """Returns when the nightly job last ended well."""
        from paramecium.jobs.fts_build import last_success

        return last_success(self._shared.store, self.life)

    def rebuild(self, progress: Progress = silent) -> "IngestReport":
        """Makes the index anew from the archive."""
        from paramecium.jobs.rebuild import rebuild

        return rebuild(self.indexer(progress))

    def verify(self, progress: Progress = silent) -> "VerifyReport":
        """Compares everything that stands with what was said."""
        from paramecium.jobs.verify import verify

        return verify(self.indexer(progress))

    def import_file(self, path: Path, progress: Progress = silent) -> "ImportReport":
        """Brings a file's conversations into the archive."""
        from paramecium.index.manifest import read_manifest
        from paramecium.jobs.import_file import import_file

        covered = read_manifest(self._shared.store, keys.manifest(self.life)).manifest.coverage.conversations
        archive = self.archive
        settings = self._shared.settings
        return import_file(path, archive, settings, covered=lambda c: covered.get(c, 0), progress=progress)


def default_settings() -> Settings:
    """Returns the settings without a configuration: Anthropic when its key is in the environment, else the parrot."""
    key = os.environ.get("ANTHROPIC_API_KEY")
    if not key:
        return Settings()
    base_url = os.environ.get("ANTHROPIC_BASE_URL", "")
    account = {"name": "anthropic", "kind": "anthropic", "api_key": key, "models": DEFAULT_ANTHROPIC_MODELS}
    return settings_from({"accounts": [account | ({"base_url": base_url} if base_url else {})]}, "the environment")


def build_parts(settings: Settings, *, data: Path | None = None, bucket: str | None = None) -> Parts:
    """Returns the parts over a folder, or over a bucket given as s3://NAME; raises BadSetting."""
    if bucket is None:
        from paramecium.store.local import LocalStore

        folder = data or Path("data")
        return Parts(settings, LocalStore(folder), cache_folder=folder / ".cache")
    name = bucket.removeprefix("s3://")
    if not bucket.startswith("s3://") or not name or "/" in name:
        raise BadSetting(f"--store takes s3:// and the name of a bucket, not {bucket!r:.80}")
    from paramecium.store.s3 import S3Store

    return Parts(settings, S3Store(name))


def parts_from_environment() -> Parts:
    """Returns the parts a server process is told of by its environment.

    PARAMECIUM_CONFIG_TEXT or PARAMECIUM_CONFIG (a file), PARAMECIUM_DATA (a folder) or PARAMECIUM_STORE (s3://NAME).
    """
    if _handed:
        return _handed[0]
    env = os.environ
    text, file = env.get("PARAMECIUM_CONFIG_TEXT"), env.get("PARAMECIUM_CONFIG")
    if text is None and file is not None:
        text = Path(file).read_text(encoding="utf-8")
    settings = default_settings() if text is None else read_settings(text, file or "PARAMECIUM_CONFIG_TEXT")
    bucket = env.get("PARAMECIUM_STORE")
    return build_parts(settings, data=Path(env.get("PARAMECIUM_DATA", "data")), bucket=bucket)


def embedding_threads() -> int:
    """Returns how many threads the embedding model gets: the processors there are, at most 2."""
    return min(os.cpu_count() or 1, 2)


_handed: list[Parts] = []


def hand_over(parts: Parts) -> None:
    """Gives the parts to the server this process is about to start, which asks `parts_from_environment`."""
    _handed[:] = [parts]


def probe(parts: Parts) -> None:
    """Raises StoreUnavailable when the store cannot keep what it promises; a folder is tried, a bucket is not."""
    from paramecium.store.local import LocalStore

    if isinstance(parts.store, LocalStore):
        parts.store.probe()


def start_jobs(parts: Parts, tell: Callable[[str], None]) -> None:
    """Starts the jobs of every life in a thread of their own, at once and then on their cadence."""
    from paramecium.jobs.schedule import run_jobs

    work = [(life, parts.of(life)) for life in parts.settings.lives]
    jobs = threading.Thread(target=run_jobs, args=(work, parts.stopping, parts.settings.timezone, tell), daemon=True)
    jobs.start()
