"""A house whose chat plays scripts: events to yield, errors to raise, gates to wait at."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from paramecium.chat.events import Ask, ChatEvent, Done, Started, Text
from paramecium.errors import ConversationMissing
from paramecium.messages import Json
from paramecium.settings import Settings, settings_from

TOKEN = "t0ken-of-the-owner-0123456789"
OTHER = "t0ken-of-a-friend-9876543210"

Step = ChatEvent | Exception | asyncio.Event


def settings(**changes: Any) -> Settings:
    """Returns settings with two clients, the second in a life of its own with less rights."""
    return settings_from({"token": TOKEN, "clients": [friend()]} | changes, "test")


def friend(**changes: Any) -> Json:
    """Returns a client in a life of its own, with less rights unless `changes` gives them."""
    rights = {"scope": "chat", "memory": False, "tools": False}
    return {"name": "friend", "token": OTHER, "life": "friend"} | rights | changes


def answer(*texts: str, turn: str = "turn-1") -> list[ChatEvent]:
    """Returns the events of a whole turn that says `texts`."""
    started, done = Started(turn, "conv-1", "m-1"), Done(turn, "conv-1", "m-2", "complete", (), "parrot", "parrot")
    return [started, *(Text(t) for t in texts), done]


class ScriptedChat:
    """Plays the next script at each turn, and knows which turns came, ended and were stopped."""

    def __init__(self) -> None:
        self.queue: list[Sequence[Step]] = []
        self.asks: list[Ask] = []
        self.finished: list[str] = []
        self.stopped: list[str] = []
        self.stop_seen = asyncio.Event()
        self.finish_seen = asyncio.Event()

    async def run(self, ask: Ask) -> AsyncIterator[ChatEvent]:
        """Plays a script."""
        self.asks.append(ask)
        for step in self.queue.pop(0):
            if isinstance(step, Exception):
                raise step
            if isinstance(step, asyncio.Event):
                await step.wait()
            else:
                yield step
        self.finished.append(ask.turn)
        self.finish_seen.set()

    async def stop(self, turn: str) -> None:
        """Remembers the wish."""
        self.stopped.append(turn)
        self.stop_seen.set()


class FakeCatalogue:
    """Holds one conversation."""

    def __init__(self, life: str) -> None:
        self.life = life
        self.asked: list[tuple[int, str | None]] = []

    def list(self, limit: int, before: str | None) -> list[Json]:
        """Returns it."""
        self.asked.append((limit, before))
        return [{"id": "conv-1", "title": f"{self.life} 的🌱对话", "messages": 2, "first": "", "last": ""}]

    def read(self, conversation: str) -> Json:
        """Returns it by its name."""
        if conversation not in ("conv-1", "原来的 id"):
            raise ConversationMissing(f"no conversation {conversation}")
        return {"id": "conv-1", "title": "对话", "messages": []}


class FakeHouse:
    """Is a house with one scripted chat for every life."""

    def __init__(self, configured: Settings | None = None) -> None:
        self.settings = configured or settings()
        self.talk = ScriptedChat()
        self.lives: list[str] = []
        self.catalogues: dict[str, FakeCatalogue] = {}
        self.queries: list[tuple[str, Json]] = []
        self.previews: list[tuple[str, str, str | None, str | None]] = []
        self.stores: Json = {"ok": True}
        self.calls: list[str] = []

    def plays(self, *steps: Step) -> None:
        """Adds a script for the next turn."""
        self.talk.queue.append(steps)

    def chat(self, life: str) -> ScriptedChat:
        """Returns the chat, and remembers whose it was meant to be."""
        self.lives.append(life)
        return self.talk

    def catalogue(self, life: str) -> FakeCatalogue:
        """Returns a life's catalogue."""
        return self.catalogues.setdefault(life, FakeCatalogue(life))

    def search(self, life: str, query: Json) -> Json:
        """Remembers the query and finds one window."""
        self.queries.append((life, query))
        return {"memories": [], "windows": [{"text": "一字不改\u2028🌱"}]}

    def preview(self, life: str, text: str, conversation: str | None, at: str | None) -> Json:
        """Remembers the question and lists nothing."""
        self.previews.append((life, text, conversation, at))
        return {"lines": [], "text": "", "tokens": 0, "late": []}

    def stores_ok(self) -> Json:
        """Returns what the test set."""
        self.calls.append("stores_ok")
        return self.stores

    async def start(self) -> None:
        """Remembers the call."""
        self.calls.append("start")

    def close(self) -> None:
        """Remembers the call."""
        self.calls.append("close")
