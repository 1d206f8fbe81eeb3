"""The whole house behind its door, in one process over a folder: real parts, a scripted model, hashed vectors."""

from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from functions.gateway.app import create_app
from paramecium.index.embedder import Embedding
from paramecium.messages import Entry
from paramecium.settings import settings_from
from paramecium.store.base import ObjectStore
from paramecium.upstream.choose import Upstreams
from paramecium.wiring.parts import Parts
from tests.fakes import FixedClock, HashEmbedder, ScriptedUpstream
from tests.functions.gateway.asgi import Exchange, request
from tests.functions.gateway.fakes_house import TOKEN
from tests.functions.gateway.sse_reader import read_all

ACCOUNT = {"name": "a", "kind": "anthropic", "api_key": "k", "models": ["m"]}


class Door:
    """Is one process: its application, its parts, and the model behind it."""

    def __init__(
        self,
        store: ObjectStore,
        folder: Path,
        upstream: ScriptedUpstream | None = None,
        embedder: Embedding | None = None,
        **more: Any,
    ) -> None:
        self.store, self.folder = store, folder
        self.upstream = upstream or ScriptedUpstream()
        settings = settings_from({"token": TOKEN, "person": "阿南", "accounts": [ACCOUNT], **more}, "test")
        built = Upstreams(settings, built={"a": self.upstream})
        self.clock = FixedClock()
        self.parts = Parts(
            settings, store, embedder=embedder or HashEmbedder(), upstreams=built, cache_folder=folder, now=self.clock
        )
        self.app: ASGIApp = create_app(self.parts)

    def another(self) -> "Door":
        """Returns another process over the same store, with the same model behind it."""
        return Door(self.store, self.folder, self.upstream)

    async def post(self, path: str, body: Any) -> Exchange:
        """Sends one request to its end."""
        return await request("POST", path, None, body).run(self.app)

    async def chat(self, **body: Any) -> list[tuple[str, Any]]:
        """Returns the events of one turn."""
        exchange = await self.post("/api/chat", body)
        assert exchange.status == 200, exchange.body
        return read_all(exchange.body)

    def entries(self, conv: str) -> tuple[Entry, ...]:
        """Returns what stands in the archive."""
        return self.parts.of("main").archive.read(conv)

    def archived(self) -> list[str]:
        """Returns the keys of all that is canonical."""
        return [key for part in ("archive/conversations", "archive/images") for key in self.store.list(f"main/{part}/")]
