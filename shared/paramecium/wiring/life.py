"""The parts of one life, and its jobs."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium.store import keys
from paramecium.wiring.built_once import Building, BuiltOnce

if TYPE_CHECKING:
    from paramecium.archive.conversations import Archive
    from paramecium.chat.turn import Chat
    from paramecium.index.segment_cache import SegmentCache
    from paramecium.jobs.fts_build import FullTextReport
    from paramecium.jobs.import_file import ImportReport
    from paramecium.jobs.indexer import Indexer
    from paramecium.jobs.ingest import IngestReport
    from paramecium.jobs.verify import VerifyReport
    from paramecium.memories.document_reader import DocumentReader
    from paramecium.memories.hand import Hand
    from paramecium.memories.keeping_plan import Keeper, Kept
    from paramecium.memories.ledger import Ledger
    from paramecium.memories.views import MemoryViews
    from paramecium.recall.catalogue import Catalogue
    from paramecium.recall.offer import Menus
    from paramecium.recall.preview import Preview
    from paramecium.recall.search import Finder
    from paramecium.recall.tool import Recall
    from paramecium.recall.views import LifeViews
    from paramecium.wiring.parts import Parts

Progress = Callable[[int, int], None]


_log = logging.getLogger("paramecium")


def silent(done: int, of: int) -> None:
    """Shows no progress."""


class LifeParts(Building):
    """Holds the parts of one life."""

    def __init__(self, shared: "Parts", life: str) -> None:
        super().__init__()
        self._shared = shared
        self.life = life

    @BuiltOnce
    def archive(self) -> "Archive":
        """Returns the archive."""
        from paramecium.archive.conversations import Archive

        return Archive(self._shared.store, self.life, now=self._shared.now)

    @BuiltOnce
    def hand(self) -> "Hand":
        """Returns what a person changes memories with."""
        from paramecium.memories.corrections import Corrections
        from paramecium.memories.hand import Hand

        s = self._shared
        return Hand(self.ledger, Corrections(s.store, self.life), s.settings.timezone, s.now)

    @BuiltOnce
    def cache(self) -> "SegmentCache":
        """Returns the loaded segments of the index."""
        from paramecium.index.segment_cache import SegmentCache

        return SegmentCache(self._shared.store, self._shared.cache_folder)

    @BuiltOnce
    def views(self) -> "LifeViews":
        """Returns what can be found at each moment."""
        from paramecium.recall.views import LifeViews

        shared = self._shared
        return LifeViews(shared.store, self.life, self.archive, self.cache, shared.cache_folder, _log.warning)

    @BuiltOnce
    def ledger(self) -> "Ledger":
        """Returns the events of the memories."""
        from paramecium.memories.ledger import Ledger

        return Ledger(self._shared.store, self.life)

    @BuiltOnce
    def memory_views(self) -> "MemoryViews":
        """Returns what can be found of the memories at each moment."""
        from paramecium.memories.views import MemoryViews

        shared = self._shared
        return MemoryViews(shared.store, self.life, self.ledger, shared.cache_folder, _log.warning)

    @BuiltOnce
    def finder(self) -> "Finder":
        """Returns what answers queries."""
        from paramecium.recall.search import Finder
        from paramecium.recall.semantic import Nearness

        return Finder(self.views, Nearness(lambda: self._shared.embedder, _log.warning), self.memory_views)

    @BuiltOnce
    def recall(self) -> "Recall":
        """Returns the tool the model calls."""
        from paramecium.recall.tool import Recall

        return Recall(self.finder, self._shared.settings.language, _log.warning)

    @BuiltOnce
    def menus(self) -> "Menus":
        """Returns what lists memories beside a message."""
        from paramecium.recall.offer import Menus

        shared = self._shared
        return Menus(self.memory_views, lambda: shared.embedder, shared.settings, _log.warning)

    @BuiltOnce
    def preview(self) -> "Preview":
        """Returns what shows menus to a person."""
        from paramecium.recall.preview import Preview

        return Preview(self.menus, self.catalogue, self._shared.settings.timezone, self._shared.now)

    @BuiltOnce
    def catalogue(self) -> "Catalogue":
        """Returns the list of conversations."""
        from paramecium.recall.catalogue import Catalogue

        return Catalogue(self.views, self.archive)

    @BuiltOnce
    def documents(self) -> "DocumentReader":
        """Returns what reads the documents written by hand."""
        from paramecium.memories.document_reader import DocumentReader

        return DocumentReader(self._shared.store, self.life, _log.warning)

    @BuiltOnce
    def chat(self) -> "Chat":
        """Returns what runs the turns."""
        from paramecium.chat.afterglow import Afterglow
        from paramecium.chat.beside import Beside
        from paramecium.chat.turn import Chat

        s = self._shared
        return Chat(
            self.archive,
            s.store,
            self.life,
            s.settings,
            s.upstreams,
            self.recall,
            s.now,
            afterglow=Afterglow(lambda: s.embedder),
            beside=Beside(self.documents),
        )

    def indexer(self, progress: Progress = silent) -> "Indexer":
        """Returns what jobs write the index with."""
        from paramecium.archive.conversations import Archive
        from paramecium.index.segment_cache import SegmentCache
        from paramecium.jobs.indexer import Indexer

        s = self._shared
        archive = Archive(s.job_store, self.life, now=s.now)
        # A folder of their own: what recall lets go of, a job may just be reading.
        cache = SegmentCache(s.job_store, s.cache_folder / "jobs")
        return Indexer(s.job_store, self.life, archive, s.embedder, cache, progress=progress, now=s.now)

    def ingest(self, progress: Progress = silent) -> "IngestReport":
        """Brings what has arrived into the index."""
        from paramecium.jobs.ingest import ingest

        return ingest(self.indexer(progress))

    def build_fulltext(self, progress: Progress = silent) -> "FullTextReport":
        """Runs the nightly job."""
        from paramecium.jobs.fts_build import build

        report = build(self.indexer(progress))
        self.remember(progress, whole=True)
        return report

    def keeper(self, progress: Progress = silent) -> "Keeper":
        """Returns what jobs keep the snapshot of the memories with."""
        from paramecium.memories.keeping_plan import Keeper
        from paramecium.memories.ledger import Ledger

        s = self._shared
        folder, ledger = s.cache_folder / "jobs", Ledger(s.job_store, self.life)
        breathe = getattr(s.job_store, "check", lambda: None)
        keeper = Keeper(s.job_store, self.life, ledger, s.embedder, folder, warn=_log.warning, now=s.now)
        return replace(keeper, progress=progress, breathe=breathe)

    def remember(
        self, progress: Progress = silent, conversations: Iterable[str] | None = None, *, whole: bool = False
    ) -> "Kept":
        """Gives vectors to what is new in the ledger, and looks at the paths of `conversations`, or of all."""
        from paramecium.jobs.remember import remember

        keeper = self.keeper(progress)
        return remember(keeper, self.indexer().archive, conversations, whole=whole)

    def last_fulltext(self) -> datetime | None:
        """Returns when the nightly job last ended well."""
        from paramecium.jobs.fts_build import last_success

        return last_success(self._shared.store, self.life)

    def rebuild(self, progress: Progress = silent) -> "IngestReport":
        """Makes the index anew from the archive."""
        from paramecium.jobs.rebuild import rebuild

        return rebuild(self.indexer(progress), self.keeper(progress))

    def verify(self, progress: Progress = silent) -> "VerifyReport":
        """Compares everything that stands with what was said."""
        from paramecium.jobs.verify import verify

        return verify(self.indexer(progress))

    def import_file(self, path: Path, progress: Progress = silent) -> "ImportReport":
        """Brings a file's conversations into the archive."""
        from collections.abc import Mapping

        from paramecium.errors import Damaged
        from paramecium.index.manifest import read_manifest
        from paramecium.jobs.import_file import import_file

        try:
            found = read_manifest(self._shared.store, keys.manifest(self.life))
            covered: Mapping[str, int] = found.manifest.coverage.conversations
        except Damaged:  # what is derived never stops what is said from being kept
            covered = {}
        archive = self.archive
        settings = self._shared.settings
        return import_file(path, archive, settings, covered=lambda c: covered.get(c, 0), progress=progress)
