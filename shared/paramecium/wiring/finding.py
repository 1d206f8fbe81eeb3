"""The parts of one life that find and show: archive, memories, recall, menu, documents."""

import logging
from typing import TYPE_CHECKING

from paramecium.wiring.built_once import Building, BuiltOnce

if TYPE_CHECKING:
    from paramecium.archive.conversations import Archive
    from paramecium.index.segment_cache import SegmentCache
    from paramecium.jobs.vault import Vault
    from paramecium.memories.document_reader import DocumentReader
    from paramecium.memories.hand import Hand
    from paramecium.memories.ledger import Ledger
    from paramecium.memories.views import MemoryViews
    from paramecium.recall.catalogue import Catalogue
    from paramecium.recall.offer import Menus
    from paramecium.recall.preview import Preview
    from paramecium.recall.search import Finder
    from paramecium.recall.tool import Recall
    from paramecium.recall.views import LifeViews
    from paramecium.wiring.parts import Parts

# Half a century of days.
VAULT_DOCUMENTS_MAX = 20_000
_log = logging.getLogger("paramecium")


class FindingParts(Building):
    """Holds the parts of one life that find and show."""

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
    def ledger(self) -> "Ledger":
        """Returns the ledger of the memories."""
        from paramecium.memories.ledger import Ledger

        return Ledger(self._shared.store, self.life)

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
        from paramecium.recall.remembering import Remembering
        from paramecium.recall.tool import Recall

        s = self._shared
        remember = Remembering(self.ledger, s.settings.timezone, s.now)
        return Recall(self.finder, s.settings.language, _log.warning, remember)

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
    def vault(self) -> "Vault":
        """Returns where the index gets the documents from."""
        from paramecium.jobs.vault import Vault
        from paramecium.memories.document_reader import DocumentReader

        s = self._shared
        # A reader of its own: a turn needs the latest documents only, the index all that were ever written.
        reader = DocumentReader(s.job_store, self.life, _log.warning, VAULT_DOCUMENTS_MAX)
        return Vault(reader, s.settings.person, s.settings.timezone)
