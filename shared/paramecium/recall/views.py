"""The view of each moment: one conditional GET and one LIST tell whether anything is new.

Knows what is loaded and when it must be looked at again. Invariant: nothing is loaded whose sha256 is not the one the
manifest names; what is damaged is left out and told, and tried again when there is a new manifest or a new arrival.
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
from paramecium.recall.register import Registers
from paramecium.recall.talk import Talks
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
        self._cache, self._warn = cache, warn
        self._manifests = ManifestCache(store, life)
        self._fresh = FreshReader(archive, life)
        self._texts = FullTextCache(store, folder)
        self._young, self._registers, self._talks = YoungParts(), Registers(), Talks()
        self._lock = threading.Lock()
        self._last: tuple[str | None, Fresh, View] | None = None
        self._index: tuple[str | None, Index] | None = None

    def view(self) -> View:
        """Returns what can be found now; raises StoreUnavailable, and Damaged when the manifest itself is."""
        with self._lock:
            standing = self._manifests.standing()
            fresh = self._fresh.read(standing.manifest)
            if self._last and self._last[:2] == (standing.version, fresh):
                return self._last[2]
            index = self._loaded(standing.version, standing.manifest)
            named = standing.manifest.fulltext
            key = named.file.key if named and index.fulltext else ""
            young = self._young.of(index.segments, index.fulltext, key, fresh.saids)
            view = View(index, fresh, young, self._talks)
            self._last = (standing.version, fresh, view)
            return view

    def resolve(self, view: View, conversation: str) -> str:
        """Returns our id for ours or the original one; raises ConversationMissing, Ambiguous."""
        return resolve(view.conversations, conversation, conversation_id(conversation))

    def _loaded(self, version: str | None, manifest: Manifest) -> Index:
        if self._index and self._index[0] == version and not self._index[1].damaged:
            return self._index[1]
        segments: list[Segment] = []
        for name in manifest.segments:
            try:
                segments.append(self._cache.open(name))
            except (Damaged, KeyMissing) as error:
                self._warn(f"a segment is left out: {error}")
        fulltext = self._fulltext(manifest.fulltext)
        self._cache.keep(manifest.segments)
        damaged = len(segments) < len(manifest.segments) or (fulltext is None) != (manifest.fulltext is None)
        index = Index(manifest, self._registers.of(segments), fulltext, damaged)
        self._index = (version, index)
        return index

    def _fulltext(self, named: Fulltext | None) -> FullText | None:
        """The full text; without it all words are scanned."""
        try:
            return self._texts.open(named)
        except (Damaged, KeyMissing) as error:
            self._warn(f"the full text is left out: {error}")
            return None


class FullTextCache:
    """Keeps the full text that is live, opened and its hash checked once; one thread at a time may ask."""

    def __init__(self, store: ObjectStore, folder: Path) -> None:
        self._store, self._folder = store, folder
        self._named: Fulltext | None = None
        self._opened: FullText | None = None
        self._path: Path | None = None

    def open(self, named: Fulltext | None) -> FullText | None:
        """Returns what a manifest names and removes the download of the one before; raises KeyMissing, Damaged."""
        if named != self._named:
            self._let_go()
        if named is not None and self._opened is None:
            self._path = _fetched(self._store, named, self._folder)
            self._opened, self._named = FullText(self._path), named
        return self._opened

    def _let_go(self) -> None:
        """Whoever still reads the file keeps it open."""
        if self._path is not None:
            _remove_download(self._path, self._folder)
        self._named = self._opened = self._path = None


def open_fulltext(store: ObjectStore, named: Fulltext, folder: Path) -> FullText:
    """Returns the full text a manifest names; raises KeyMissing, and Damaged when its sha256 is another one."""
    return FullText(_fetched(store, named, folder))


def _fetched(store: ObjectStore, named: Fulltext, folder: Path) -> Path:
    path = store.fetch(named.file.key, folder)
    try:
        sha256 = _sha256(path)
    except FileNotFoundError:  # another process that shares the folder had just let go of it
        path = store.fetch(named.file.key, folder)
        sha256 = _sha256(path)
    if sha256 != named.file.sha256:
        _remove_download(path, folder)
        raise Damaged(f"{named.file.key}: its sha256 is not the one in the manifest; `paramecium fts` makes it anew")
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove_download(path: Path, folder: Path) -> None:
    # A local store hands out its own file: that one is not ours to remove.
    if path.resolve().is_relative_to(folder.resolve()):
        path.unlink(missing_ok=True)
