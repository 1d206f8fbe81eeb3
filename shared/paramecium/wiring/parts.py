"""The parts that all lives share, and what runs beside them."""

import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from paramecium import clock
from paramecium.errors import ParameciumError
from paramecium.messages import Json
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.stopping import StoppingStore
from paramecium.wiring.built_once import Building, BuiltOnce
from paramecium.wiring.life import LifeParts

if TYPE_CHECKING:
    from paramecium.chat.turn import Chat
    from paramecium.index.embedder import Embedding
    from paramecium.recall.catalogue import Catalogue
    from paramecium.settings import Settings
    from paramecium.upstream.choose import Upstreams
    from paramecium.upstream.small import SmallModel


# What is still at work when the server ends gets this long; it may be killed at any point without harm.
JOIN_S = 0.5


class Parts(Building):
    """Holds the parts that all lives share; `of` gives those of one life. What is given replaces what is built.

    `background` are the pieces of work `start` begins, each in a thread of its own.
    """

    def __init__(
        self,
        settings: "Settings",
        store: ObjectStore,
        *,
        embedder: "Embedding | None" = None,
        upstreams: "Upstreams | None" = None,
        cache_folder: Path | None = None,
        now: clock.Now = clock.now,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.store = store
        self.now = now
        self.cache_folder = cache_folder or Path(tempfile.gettempdir()) / f"paramecium-{os.getuid()}"
        self.stopping = threading.Event()
        self._embedder = embedder
        self._upstreams = upstreams
        self._lives: dict[str, LifeParts] = {}
        self.background: list[Callable[[], None]] = [self.warm]
        self._threads: list[threading.Thread] = []

    def of(self, life: str) -> "LifeParts":
        """Returns the parts of one life; raises BadId for a name no life can have."""
        with self.lock:
            return self._lives.setdefault(keys.check_life(life), LifeParts(self, life))

    @BuiltOnce
    def embedder(self) -> "Embedding":
        """Returns the embedding model of its folder; raises ModelMissing."""
        from paramecium.index.embedder import Embedder, default_model_folder

        return self._embedder or Embedder(default_model_folder(), threads=embedding_threads())

    @BuiltOnce
    def upstreams(self) -> "Upstreams":
        """Returns the ways to models."""
        from paramecium.upstream.choose import Upstreams

        return self._upstreams or Upstreams(self.settings)

    @BuiltOnce
    def small_model(self) -> "SmallModel":
        """Returns the model that takes notes; raises NotConfigured."""
        from paramecium.upstream.small import small_model

        return small_model(self.settings)

    @BuiltOnce
    def job_store(self) -> StoppingStore:
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

    def preview(self, life: str, text: str, conversation: str | None, at: str | None) -> Json:
        """Returns what the menu would be for a text; raises BadInput naming the field."""
        return self.of(life).preview.show(text, conversation, at)

    def stores_ok(self) -> Json:
        """Returns whether the store can be read, and which models stand."""
        from paramecium.index.manifest import read_manifest

        read_manifest(self.store, keys.manifest("main"))
        return {"ok": True}

    def start(self) -> None:
        """Begins the work in the background, the warming of what the first turn needs before all."""
        self._threads = [threading.Thread(target=work, daemon=True) for work in self.background]
        for thread in self._threads:
            thread.start()

    def warm(self, life: str = "") -> None:
        """Loads model, index, memories and adapter, so that the first turn of a life (or of the first one) need not.

        What fails here is told by who uses it.
        """
        with suppress(ParameciumError):
            self.embedder.query("草")
            parts = self.of(life or self.settings.lives[0])
            parts.memory_views.view()
            parts.views.view()
            self.upstreams.get(self.upstreams.choose(None, None).account)

    async def close(self) -> None:
        """Asks running jobs to stop, gives them a moment, and closes connections."""
        self.stopping.set()
        from anyio import to_thread

        if "small_model" in self.built:
            self.small_model.close()
        await to_thread.run_sync(self._join)
        if "upstreams" in self.built:
            await self.upstreams.aclose()

    def _join(self) -> None:
        last = clock.monotonic_s() + JOIN_S
        for thread in self._threads:
            thread.join(max(0.0, last - clock.monotonic_s()))


def embedding_threads() -> int:
    """Returns how many threads the embedding model gets: the processors there are, at most 2."""
    return min(os.cpu_count() or 1, 2)
