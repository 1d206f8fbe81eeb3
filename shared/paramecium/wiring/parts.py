"""The parts that all lives share."""

import os
import tempfile
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium import clock
from paramecium.messages import Json
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.stopping import StoppingStore
from paramecium.wiring.life import LifeParts

if TYPE_CHECKING:
    from paramecium.chat.turn import Chat
    from paramecium.index.embedder import Embedding
    from paramecium.recall.catalogue import Catalogue
    from paramecium.upstream.choose import Upstreams


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


def embedding_threads() -> int:
    """Returns how many threads the embedding model gets: the processors there are, at most 2."""
    return min(os.cpu_count() or 1, 2)
