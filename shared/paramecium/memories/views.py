"""The view of the memories at each moment, kept warm and made anew when something is new.

One conditional GET of the pointer, and one GET of the ledger's next number, tell whether anything is.
Knows what is loaded and when it must be looked at again; blocks are checked where they are read (see `snapshot`).
Invariant: what is damaged is told and never served. Without the snapshot the events alone make the view, found by
words; an event that is damaged is passed over until it is mended. Only StoreUnavailable is raised.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from paramecium.errors import Damaged, KeyMissing
from paramecium.memories.events import Event
from paramecium.memories.ledger import Ledger, is_hole
from paramecium.memories.making import Marks
from paramecium.memories.onward import Onward
from paramecium.memories.snapshot import Loaded, load, nothing, read_pointer
from paramecium.memories.snapshot_form import Pointer
from paramecium.memories.state import State, fold
from paramecium.memories.view import MemoryView
from paramecium.store import keys
from paramecium.store.base import Blob, ObjectStore

_TRIES_MAX = 3


def day_marks(content: str, date: str) -> tuple[str, ...]:
    """Returns the marks of the days a note tells of."""
    from paramecium.memories.day_marks import marks_in

    return marks_in(content, date)


class MemoryViews:
    """Gives the view of one life; threads may share it. `cache_folder` takes the downloads of blocks."""

    def __init__(
        self,
        store: ObjectStore,
        life: str,
        ledger: Ledger,
        cache_folder: Path,
        warn: Callable[[str], None] = lambda _: None,
        marks: Marks = day_marks,
    ) -> None:
        self._store, self._life, self._ledger = store, keys.check_life(life), ledger
        self._folder, self._warn, self._marks = cache_folder, warn, marks
        self._lock = threading.Lock()
        self._told = ""
        self._blob: Blob | None = None
        self._loaded: Loaded | None = None
        self._from, self._events = 0, list[Event]()
        self._state = State()
        self._view: MemoryView | None = None

    def view(self) -> MemoryView:
        """Returns what can be found now; raises StoreUnavailable."""
        with self._lock:
            loaded = self._look()
            if self._read(loaded) or self._view is None:
                self._view = loaded.onward.view(self._state, self._marks)
            return self._view

    def _look(self) -> Loaded:
        """Looks at the pointer, and loads what it names when it is another one."""
        blob = self._standing()
        if self._loaded is not None and blob == self._blob:
            return self._loaded
        blob, loaded = self._load(blob)
        if self._loaded is not None:
            self._loaded.remove_downloads(self._folder, loaded.files)
        base = loaded.onward.prepared.state
        is_known = self._from <= base.upto <= self._from + len(self._events)
        if is_known and not any(map(is_hole, self._events)):
            self._events = self._events[base.upto - self._from :]
        else:
            self._events = []
        self._from, self._state = base.upto, fold(base, self._events) if self._events else base
        self._blob, self._loaded, self._view = blob, loaded, None
        self._ledger.suppose(base.upto)
        return loaded

    def _read(self, loaded: Loaded) -> bool:
        """Reads the events that came since and folds them on top; returns whether there were any.

        Once a damaged one can be read again, all since the base are read anew.
        """
        hole = next((n for n, event in enumerate(self._events, self._from) if is_hole(event)), None)
        if hole is not None and self._ledger.is_sound(hole):
            self._state = base = loaded.onward.prepared.state
            self._from, self._events, self._view = base.upto, [], None
        reading = self._ledger.readable if self._view is None else self._ledger.since
        events = reading(self._from + len(self._events), self._tell)
        if events:
            self._events += events
            self._state = fold(self._state, events)
        return bool(events)

    def _standing(self) -> Blob | None:
        key = keys.memory_snapshot(self._life)
        try:
            if self._blob is None:
                return self._store.get(key)
            return self._store.get_if_changed(key, self._blob.version) or self._blob
        except KeyMissing:
            return None

    def _load(self, blob: Blob | None) -> tuple[Blob | None, Loaded]:
        """A block that is gone may have been replaced just now: then there is another pointer."""
        error: Exception | None = None
        for _ in range(_TRIES_MAX):
            try:
                pointer = Pointer() if blob is None else read_pointer(blob, self._life)
                return blob, load(self._store, pointer, self._folder)
            except (Damaged, KeyMissing) as found:
                error, before, self._blob = found, blob, blob
            blob = self._standing()
            if blob == before:
                break
        self._tell(f"the memories are read from their events alone: {error}; `paramecium rebuild` makes them anew")
        return blob, Loaded(Onward(nothing(), damaged=True))

    def _tell(self, sentence: str) -> None:
        """Every view would tell it again."""
        if sentence != self._told:
            self._told = sentence
            self._warn(sentence)
