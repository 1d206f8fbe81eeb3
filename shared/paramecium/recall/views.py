"""The view of each moment: one conditional GET and one LIST a day tell whether anything is new.

Knows what is loaded and when it must be looked at again. Invariant: nothing is loaded whose sha256 is not the one the
manifest names; what is damaged is left out, told, and waits to be made anew.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from paramecium.archive.conversations import Archive
from paramecium.archive.names import conversation_id
from paramecium.errors import Damaged, KeyMissing
from paramecium.index.fulltext import FullText
from paramecium.index.manifest import Fulltext, Manifest, ManifestCache
from paramecium.index.segment import Segment
from paramecium.index.segment_cache import SegmentCache
from paramecium.recall.catalogue import resolve
from paramecium.recall.fresh import FreshReader
from paramecium.recall.view import Fresh, Index, View
from paramecium.recall.young import YoungParts
from paramecium.store.base import ObjectStore


class LifeViews:
    """Gives the view of one life; threads may share it."""

    def __init__(
        self,
        store: ObjectStore,
        life: str,
        archive: Archive,
        cache: SegmentCache,
        folder: Path,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store, self._cache, self._folder, self._warn = store, cache, folder, warn
        self._manifests = ManifestCache(store, life)
        self._fresh = FreshReader(archive, life)
        self._young = YoungParts()
        self._lock = threading.Lock()
        self._last: tuple[str | None, Fresh, View] | None = None
        self._index: tuple[str | None, Index] | None = None

    def view(self) -> View:
        """Returns what can be found now; raises StoreUnavailable, and Damaged when the manifest itself is."""
        with self._lock:
            standing = self._manifests.standing()
            fresh = self._fresh.read(standing.manifest)
            if self._last and self._last[:2] == (standing.version, fresh) and not self._last[2].damaged:
                return self._last[2]
            index = self._loaded(standing.version, standing.manifest)
            named = standing.manifest.fulltext
            key = named.file.key if named and index.fulltext else ""
            view = View(index, fresh, self._young.of(index.segments, index.fulltext, key, fresh.saids))
            self._last = (standing.version, fresh, view)
            return view

    def resolve(self, view: View, conversation: str) -> str:
        """Returns our id for ours or the original one; raises ConversationMissing, Ambiguous."""
        return resolve(view.conversations(), conversation, conversation_id(conversation))

    def _loaded(self, version: str | None, manifest: Manifest) -> Index:
        if self._index and self._index[0] == version and not self._index[1].damaged:
            return self._index[1]
        segments: list[Segment] = []
        damaged = False
        for name in manifest.segments:
            try:
                segments.append(self._cache.open(name))
            except (Damaged, KeyMissing) as error:
                damaged = True
                self._warn(f"a segment is left out: {error}")
        fulltext, whole = self._fulltext(manifest.fulltext)
        self._cache.keep(manifest.segments)
        index = Index(manifest, tuple(segments), fulltext, damaged or not whole)
        self._index = (version, index)
        return index

    def _fulltext(self, named: Fulltext | None) -> tuple[FullText | None, bool]:
        """Returns the full text, and whether it is as the manifest wants it; without it younger words are scanned."""
        if named is None:
            return None, True
        try:
            return open_fulltext(self._store, named, self._folder), True
        except (Damaged, KeyMissing) as error:
            self._warn(f"the full text is left out: {error}")
            return None, False


def open_fulltext(store: ObjectStore, named: Fulltext, folder: Path) -> FullText:
    """Returns the full text a manifest names; raises KeyMissing, and Damaged when its sha256 is another one."""
    path = store.fetch(named.file.key, folder)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != named.file.sha256:
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)
        raise Damaged(f"{named.file.key}: its sha256 is not the one in the manifest; `paramecium fts` makes it anew")
    return FullText(path)
