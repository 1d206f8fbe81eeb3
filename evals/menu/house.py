"""A ledger in memory, with its snapshot and the product's own menus over it.

Knows how the product's parts are put together around a store of nothing; decides nothing of what is listed.
Invariant: what is noted at a moment is seen by the next menu, as it is where the menu is made for a talk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paramecium import clock
from paramecium.index.embedder import Embedding
from paramecium.memories.events import Event, What
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.views import MemoryViews
from paramecium.recall.menu import Menu, Occasion
from paramecium.recall.offer import Menus
from paramecium.settings import Lane, Settings
from paramecium.store.ram import RamStore

LIFE = "main"
PERSONA = "persona"
TIMEOUT_S = 60.0


class EmbedsOnce:
    """Is an embedding model that embeds a text once: every run of the workbench asks the same."""

    def __init__(self, inner: Embedding) -> None:
        self._inner = inner
        self.id, self.dims = inner.id, inner.dims
        self._queries: dict[str, NDArray[np.float32]] = {}
        self._passages: dict[str, NDArray[np.float32]] = {}

    @property
    def floors(self) -> Mapping[str, float]:
        """Returns the model's thresholds."""
        return self._inner.floors

    @property
    def mean(self) -> NDArray[np.float32]:
        """Returns the model's mean."""
        return self._inner.mean

    def fill(self, asked: Sequence[str], found: Sequence[str], progress: Callable[[int, int], None]) -> None:
        """Embeds queries and passages beforehand, two at a time, so that no menu waits for the model."""
        of = len(asked) + len(found)
        works = [*(partial(self.query, t) for t in asked), *(partial(self.passages, [t]) for t in found)]
        with ThreadPoolExecutor(2) as pool:
            for done, _ in enumerate(pool.map(lambda work: work(), works), 1):
                progress(done, of)

    def query(self, text: str) -> NDArray[np.float32]:
        """Embeds what is looked for."""
        if text not in self._queries:
            self._queries[text] = self._inner.query(text)
        return self._queries[text]

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embeds what is found."""
        for text in texts:
            if text not in self._passages:
                self._passages[text] = self._inner.passages([text])[0]
        return np.array([self._passages[text] for text in texts], np.float32).reshape(len(texts), self.dims)


class House:
    """Holds the memories of a life while it is lived; `lanes` are those its menus have."""

    def __init__(self, embedder: Embedding, settings: Settings, folder: Path) -> None:
        self._embedder, self._settings, self._folder = embedder, settings, folder
        self._store = RamStore()
        self.ledger = Ledger(self._store, LIFE)
        self._views = MemoryViews(self._store, LIFE, self.ledger, folder)
        self._menus = self.menus(settings.lanes)

    def note(self, whats: Iterable[What], at: datetime, by: str = PERSONA) -> None:
        """Adds events to the ledger, as of a moment."""
        moment = clock.local_iso(at, self._settings.timezone)
        self.ledger.append([Event(clock.new_id(), moment, by, what) for what in whats])

    def keep(self) -> None:
        """Gives every memory its vector."""
        keep_snapshot(Keeper(self._store, LIFE, self.ledger, self._embedder, self._folder))

    def offer(self, occasion: Occasion) -> Menu:
        """Returns the menu of an occasion."""
        return self._menus.offer(occasion, TIMEOUT_S)

    def menus(self, lanes: tuple[Lane, ...]) -> Menus:
        """Returns menus over the same memories with other lanes."""
        settings = self._settings.model_copy(update={"lanes": lanes})
        return Menus(self._views, lambda: self._embedder, settings)
