"""The parts of one life, and its jobs."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium.store import keys
from paramecium.wiring.built_once import BuiltOnce
from paramecium.wiring.finding import FindingParts

if TYPE_CHECKING:
    from paramecium.chat.turn import Chat
    from paramecium.jobs.extract_estimate import Estimate
    from paramecium.jobs.extract_report import ExtractReport
    from paramecium.jobs.fts_build import FullTextReport
    from paramecium.jobs.import_file import ImportReport
    from paramecium.jobs.indexer import Indexer
    from paramecium.jobs.ingest import IngestReport
    from paramecium.jobs.verify import VerifyReport
    from paramecium.memories.keeping_plan import Keeper, Kept

Progress = Callable[[int, int], None]


_log = logging.getLogger("paramecium")


def silent(done: int, of: int) -> None:
    """Shows no progress."""


def unheard(conversation: str) -> None:
    """Tells nobody."""


class LifeParts(FindingParts):
    """Holds the parts of one life, its jobs among them."""

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
            beside=Beside(self.documents, self.menus),
        )

    def indexer(self, progress: Progress = silent) -> "Indexer":
        """Returns what jobs write the index with."""
        from paramecium.archive.conversations import Archive
        from paramecium.index.segment_cache import SegmentCache
        from paramecium.jobs.indexer import Indexer

        s, vault = self._shared, self.vault
        archive = Archive(s.job_store, self.life, now=s.now)
        # A folder of their own: what recall lets go of, a job may just be reading.
        cache = SegmentCache(s.job_store, s.cache_folder / "jobs")
        return Indexer(s.job_store, self.life, archive, s.embedder, cache, progress=progress, now=s.now, vault=vault)

    def ingest(self, progress: Progress = silent) -> "IngestReport":
        """Brings what has arrived into the index."""
        from paramecium.jobs.ingest import ingest

        return ingest(self.indexer(progress))

    def extract(self, progress: Progress = silent) -> "ExtractReport":
        """Takes notes of what was said since the last time; raises NotConfigured without a small model."""
        from paramecium.jobs.extract_memories import extract
        from paramecium.wiring.note_taking import extractor

        return extract(extractor(self._shared, self.life, progress, _log.warning))

    def estimate_extract(self, conversations: Iterable[str]) -> "Estimate":
        """Returns what notes of imported conversations would cost."""
        from paramecium.wiring.note_taking import estimate

        return estimate(self._shared, self.life, conversations)

    def ask_for(self, wanted: "Estimate") -> None:
        """Has notes taken of imported conversations at the next run."""
        from paramecium.wiring.note_taking import cursor_keeper

        cursor_keeper(self._shared, self.life).ask_for(wanted.wanted)

    def build_fulltext(self, progress: Progress = silent) -> "FullTextReport":
        """Runs the nightly job."""
        from paramecium.jobs.fts_build import build

        report = build(self.indexer(progress))
        self.remember(progress, whole=True, all_paths=bool(report.found or report.unreadable))
        return report

    def keeper(self, progress: Progress = silent) -> "Keeper":
        """Returns what jobs keep the snapshot of the memories with."""
        from paramecium.memories.keeping_plan import Keeper
        from paramecium.memories.ledger import Ledger

        s = self._shared
        folder, ledger = s.cache_folder / "jobs", Ledger(s.job_store, self.life)
        return Keeper(
            s.job_store,
            self.life,
            ledger,
            s.embedder,
            folder,
            progress=progress,
            breathe=s.job_store.check,
            warn=_log.warning,
            now=s.now,
        )

    def remember(
        self,
        progress: Progress = silent,
        conversations: Iterable[str] | None = None,
        *,
        whole: bool = False,
        all_paths: bool = True,
    ) -> "Kept":
        """Gives vectors to what is new in the ledger, and looks at the paths of `conversations`, or of all.

        Without `all_paths` only those are looked at that may have changed.
        """
        from paramecium.jobs.remember import remember

        keeper = self.keeper(progress)
        return remember(keeper, self.indexer().archive, conversations, whole=whole, all_paths=all_paths)

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

    def import_file(
        self, path: Path, progress: Progress = silent, met: Callable[[str], None] = unheard
    ) -> "ImportReport":
        """Brings a file's conversations into the archive; `met` gets the id of each that came in."""
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
        return import_file(path, archive, settings, covered=lambda c: covered.get(c, 0), progress=progress, met=met)
