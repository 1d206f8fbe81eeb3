"""The segments a process has loaded: each opened, and its hash checked, once.

Knows which are loaded; knows nothing of which should be (the manifest does).
Invariant: a segment is given out only after its files were checked, and two threads never fetch the same one at once.
"""

import threading
from collections.abc import Iterable
from pathlib import Path

from paramecium.index.manifest import SegmentName
from paramecium.index.segment import Segment
from paramecium.store.base import ObjectStore


class SegmentCache:
    """Opens segments of one store, downloading into `folder`, which holds nothing else; threads may share it."""

    def __init__(self, store: ObjectStore, folder: Path) -> None:
        self._store, self.folder = store, folder
        self._lock = threading.Lock()
        self._gates: dict[SegmentName, threading.Lock] = {}
        self._loaded: dict[SegmentName, Segment] = {}

    def open(self, name: SegmentName) -> Segment:
        """Returns the segment; raises Damaged naming the key, KeyMissing."""
        with self._lock:
            gate = self._gates.setdefault(name, threading.Lock())
        with gate:
            segment = self._loaded.get(name)
            if segment is None:
                segment = Segment.open(self._store, name, self.folder)
                with self._lock:
                    self._loaded[name] = segment
        return segment

    def keep(self, names: Iterable[SegmentName]) -> None:
        """Lets go of all others, and removes their downloads; whoever still reads one keeps its mapping."""
        kept = set(names)
        with self._lock:
            dropped = [self._loaded.pop(name) for name in list(self._loaded) if name not in kept]
            self._gates = {name: gate for name, gate in self._gates.items() if name in kept}
        for segment in dropped:
            segment.remove_downloads(self.folder)
