"""A house in memory for the tests of turns: real archive, scripted model, memory with a queue."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import anyio

from paramecium.archive.conversations import Archive
from paramecium.chat.beside import NOTHING, Beside
from paramecium.chat.events import Ask, ChatEvent, Done, Started, Text
from paramecium.chat.turn import Chat
from paramecium.messages import Entry, Json
from paramecium.recall.menu import Line, Menu, Occasion
from paramecium.recall.tool import Asking
from paramecium.settings import Settings, settings_from
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from paramecium.upstream.base import Finished, TextDelta, ThinkingDelta, ToolCall, UpstreamEvent
from paramecium.upstream.choose import Upstreams
from tests.fakes import FixedClock, ScriptedUpstream

RECALL: Json = {"name": "recall", "description": "翻看", "input_schema": {"type": "object"}}
LIFE = "main"


@dataclass(frozen=True)
class Piece:
    text: str
    words: Json | None = None


@dataclass(frozen=True)
class Found:
    parts: tuple[Piece, ...]
    is_error: bool = False


class FakeRecall:
    """Gives back what is queued, else the query itself; a queued exception is raised, a function is called."""

    def __init__(self, *queue: Found | Exception | Callable[[], Found]) -> None:
        self.queue = list(queue)
        self.asked: list[tuple[Json, str | None]] = []
        self.asking: list[Asking | None] = []

    def answer(self, tool_input: Json, *, here: str | None = None, asking: Asking | None = None) -> Found:
        """Returns the next result."""
        self.asked.append((tool_input, here))
        self.asking.append(asking)
        if not self.queue:
            return Found((Piece(f"找到：{tool_input.get('query')}"),))
        result = self.queue.pop(0)
        if isinstance(result, Exception):
            raise result
        return result() if callable(result) else result


class FakeOffering:
    """Gives the menus that are queued, then empty ones; a queued exception is raised."""

    def __init__(self, *queue: Menu | Exception) -> None:
        self.queue = list(queue)
        self.occasions: list[Occasion] = []

    def begin(self, _text: str) -> "FakeOffering":
        """Begins nothing: the queue is asked when the occasion is known."""
        return self

    def drop(self) -> None:
        """Ends nothing."""

    def offer(self, occasion: Occasion) -> Menu:
        """Returns the next menu and remembers what it was for."""
        self.occasions.append(occasion)
        menu = self.queue.pop(0) if self.queue else menu_of()
        if isinstance(menu, Exception):
            raise menu
        return menu


def menu_of(*titles: str) -> Menu:
    """Returns a menu with a line a title, whose ids are m- and the title."""
    lines = tuple(Line(f"m-{title}", "2026-05-01", title, ("message",), 1.0) for title in titles)
    return Menu(lines, "\n".join(f"05-01 {title}" for title in titles), len(titles))


def settings(**more: Any) -> Settings:
    """Returns settings with two accounts that a script stands behind."""
    accounts = [{"name": name, "kind": "parrot", "models": [f"{name}-model"]} for name in ("one", "two")]
    return settings_from({"person": "阿南", "accounts": accounts, **more}, "test")


@dataclass
class House:
    """Is everything a turn needs; `store` may be a store that dies."""

    store: ObjectStore = field(default_factory=RamStore)
    recall: FakeRecall | None = field(default_factory=FakeRecall)
    settings: Settings = field(default_factory=settings)
    upstream: ScriptedUpstream = field(default_factory=ScriptedUpstream)
    clock: FixedClock = field(default_factory=FixedClock)
    tool_timeout_s: float = 20.0
    poll_s: float = 1.5
    beside: Beside = NOTHING

    def __post_init__(self) -> None:
        self.archive = Archive(self.store, LIFE, now=self.clock)
        self.chat = self.fresh()

    def fresh(self) -> Chat:
        """Returns a chat as a new process has it: nothing is warm."""
        upstreams = Upstreams(self.settings, built={"one": self.upstream, "two": self.upstream})
        return Chat(
            self.archive,
            self.store,
            LIFE,
            self.settings,
            upstreams,
            self.recall,
            self.clock,
            beside=self.beside,
            tool_timeout_s=self.tool_timeout_s,
            poll_s=self.poll_s,
        )

    def says(self, *scripts: Sequence[Any]) -> None:
        """Queues what the model answers, one script a round."""
        self.upstream.enqueue(*scripts)

    def turn(self, ask: Ask) -> list[ChatEvent]:
        """Runs one turn to its end and returns what was told."""
        return anyio.run(self.listen, ask)

    async def listen(self, ask: Ask) -> list[ChatEvent]:
        """Listens to one turn."""
        async with aclosing(self.chat.run(ask)) as events:
            return [event async for event in events]

    def talk(self, turn: str, text: str, conv: str | None = None, **more: Any) -> Done:
        """Runs one turn and returns its end."""
        return done(self.turn(Ask(turn, text, conv, **more)))

    def entries(self, conv: str) -> tuple[Entry, ...]:
        """Returns what stands in the archive."""
        return self.archive.read(conv)


def says(text: str, reason: str = "end_turn", *, thinking: str = "", **usage: int) -> list[UpstreamEvent]:
    """Returns the script of a round that says something, in two pieces."""
    thought = {"type": "thinking", "thinking": thinking, "signature": f"s-{thinking}"}
    blocks = (*([thought] if thinking else []), *([{"type": "text", "text": text}] if text else []))
    half = len(text) // 2
    pieces = [TextDelta(piece) for piece in (text[:half], text[half:]) if piece]
    return [*([ThinkingDelta(thinking)] if thinking else []), *pieces, Finished(blocks, reason, usage, "m-1")]


def calls(*queries: str, text: str = "", name: str = "recall", first: str = "t", thinking: str = "") -> list[Any]:
    """Returns the script of a round that calls a tool once a query."""
    asked = [ToolCall(f"{first}{i}", name, {"query": q}) for i, q in enumerate(queries)]
    uses = tuple({"type": "tool_use", "id": c.id, "name": c.name, "input": c.input} for c in asked)
    *told, end = says(text, "tool_use", thinking=thinking)
    assert isinstance(end, Finished)
    return [*told, *asked, Finished((*end.blocks, *uses), "tool_use", {"output_tokens": 1}, "m-1")]


def text_of(events: Sequence[ChatEvent]) -> str:
    """Returns what was streamed as text."""
    return "".join(e.text for e in events if isinstance(e, Text))


def started(events: Sequence[ChatEvent]) -> Started:
    """Returns the first event."""
    assert isinstance(events[0], Started)
    return events[0]


def done(events: Sequence[ChatEvent]) -> Done:
    """Returns the last event."""
    assert isinstance(events[-1], Done)
    return events[-1]
