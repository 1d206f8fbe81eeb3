"""The house of the families once more, with a small model behind it that takes notes, and a person's own documents."""

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paramecium.index.embedder import Embedder, Embedding, default_model_folder
from paramecium.jobs.extract_report import ExtractReport
from paramecium.memories.events import Note
from paramecium.memories.state import State, fold
from paramecium.messages import load_json
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.upstream.base import Request
from tests.chat.fakes_chat import says
from tests.fakes import HashEmbedder, ScriptedUpstream
from tests.families.house import Door
from tests.functions.gateway.asgi import request
from tests.jobs.extracting import Model

SMALL = {"account": "a", "model": "m"}


class Noted(Door):
    """Is one process of a life of which notes are taken; `model` is the small one, and answers as it is told."""

    def __init__(
        self,
        store: ObjectStore,
        folder: Path,
        upstream: ScriptedUpstream | None = None,
        embedder: Embedding | None = None,
        model: Model | None = None,
    ) -> None:
        self.embedder = embedder or measured()
        super().__init__(store, folder, upstream, self.embedder, small_model=SMALL)
        self.model = model or Model(compare=lambda _: "[]")
        self.parts.built["small_model"] = self.model
        self.life = self.parts.of("main")

    def another(self) -> "Noted":
        """Returns another process over the same store, with the same models behind it, at the same moment."""
        other = Noted(self.store, self.folder, self.upstream, self.embedder, self.model)
        other.clock.moment = self.clock.moment
        return other

    async def say(self, message: str, answer: str = "好", **more: Any) -> str:
        """Lets the person say something, the model answer, and returns the conversation."""
        self.upstream.enqueue(says(answer))
        events = await self.chat(message=message, **more)
        assert events[-1][0] == "done", events
        return str(events[0][1]["conversation"])

    def extract(self, *, silent: bool = True) -> ExtractReport:
        """Lets the job take notes, an hour later when the talk is to be silent by then."""
        if silent:
            self.clock.moment += timedelta(hours=2)
        return self.life.extract()

    def state(self) -> State:
        """Returns the fold of the ledger, read anew."""
        return fold(State(), self.life.ledger.read())

    def live(self) -> list[Note]:
        """Returns the notes that hold."""
        state = self.state()
        return [m.note for m in state.memories.values() if state.standing(m) in ("live", "pinned")]

    async def menu(self, text: str, **more: str) -> list[dict[str, Any]]:
        """Returns the lines that GET /api/menu shows."""
        asked = "&".join(f"{name}={quote(value)}" for name, value in {"text": text, **more}.items())
        exchange = await request("GET", f"/api/menu?{asked}").run(self.app)
        assert exchange.status == 200, exchange.body
        lines: list[dict[str, Any]] = exchange.json["lines"]
        return lines

    async def recall(self, query: str, **more: Any) -> dict[str, Any]:
        """Returns what POST /api/recall finds."""
        exchange = await self.post("/api/recall", {"query": query, **more})
        assert exchange.status == 200, exchange.body
        found: dict[str, Any] = load_json(exchange.body)
        return found

    def write(self, path: str, text: str | bytes) -> None:
        """Puts a document of the person's there, in the place of an earlier one."""
        self.store.delete(f"main/{path}")
        self.store.create(f"main/{path}", text if isinstance(text, bytes) else text.encode("utf-8"))

    def below(self, prefix: str) -> dict[str, bytes]:
        """Returns every object below a prefix."""
        return {key: self.store.get(key).body for key in self.store.list(prefix)}


def measured() -> HashEmbedder:
    """Returns an embedder that brings up what shares about a third of its characters."""
    embedder = HashEmbedder()
    embedder.floors = {"menu.message": 0.4, "menu.context": 0.5, "menu.afterglow": 0.5, "notes": 0.4, "recall": 0.4}
    return embedder


@cache
def shipped() -> Embedder:
    """Returns the model that is shipped, loaded once for all tests."""
    embedder = Embedder(default_model_folder())
    embedder.warm()
    return embedder


def local(folder: Path) -> LocalStore:
    """Returns a store in a folder, as `--data` makes it."""
    return LocalStore(folder / "data")


def sent(asked: Request) -> str:
    """Returns all that a model was sent, as one text."""
    return str((asked.system, asked.messages))
