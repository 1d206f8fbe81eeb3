"""What every adapter speaks: a request in the shape of Anthropic's Messages, a stream of events out of it.

The house keeps its transcript in that shape, since it is the richer one; an adapter for another dialect translates.
Invariant: a stream ends with exactly one Finished, or raises UpstreamError; text once yielded is part of `blocks`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from paramecium.messages import Json


@dataclass(frozen=True, slots=True)
class Request:
    """Is one call of a model: system blocks, tools and messages as they go out, cache marks included."""

    model: str
    system: tuple[Json, ...]
    tools: tuple[Json, ...]
    messages: tuple[Json, ...]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Is a piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """Is a piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Is one whole call of a tool; `input` is {} when the model's JSON could not be read, `raw` is what it wrote."""

    id: str
    name: str
    input: Json
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """Is the end of one call: the assistant's content blocks verbatim, why it ended, and what it used.

    `stop_reason` is one of Anthropic's (end_turn, max_tokens, stop_sequence, tool_use, pause_turn, refusal …).
    """

    blocks: tuple[Json, ...]
    stop_reason: str
    usage: Json = field(default_factory=dict)
    model: str = ""


UpstreamEvent = TextDelta | ThinkingDelta | ToolCall | Finished


class Upstream(Protocol):
    """Is one way to a model."""

    def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the events of one call; raises UpstreamError in every way it can fail."""
        ...

    async def aclose(self) -> None:
        """Closes connections."""
        ...
