"""What a turn tells its listener: Started, then Text, Thinking and ToolStep, then Failed if it failed, then Done."""

from dataclasses import dataclass, field
from typing import Literal

from paramecium.errors import ParameciumError
from paramecium.messages import Json, Status


@dataclass(frozen=True, slots=True)
class Ask:
    """Is what a person says in one turn.

    `conversation` is None for a new one. `parent` is the id of the message this follows, None for the newest of the
    path, "" for a new beginning (a sibling of the first). `images` are bytes as received. `account` and `model` are
    None for the first ones configured.
    """

    turn: str
    text: str
    conversation: str | None = None
    parent: str | None = None
    images: tuple[bytes, ...] = ()
    account: str | None = None
    model: str | None = None
    client: str = "api"
    memory: bool = True
    tools: bool = True


@dataclass(frozen=True, slots=True)
class Started:
    """Says that the person's message is stored, under which ids."""

    turn: str
    conversation: str
    message: str


@dataclass(frozen=True, slots=True)
class Text:
    """Is a piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Is a piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStep:
    """Says that a built-in tool is called, or what it gave back."""

    id: str
    name: str
    state: Literal["call", "result"]
    input: Json = field(default_factory=dict)
    content: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """Says what went wrong; what was said so far is stored all the same."""

    kind: str
    message: str
    status: int


@dataclass(frozen=True, slots=True)
class Done:
    """Says that the answer is stored, under which id, and what it used, one record a round."""

    turn: str
    conversation: str
    message: str | None
    status: Status
    usage: tuple[Json, ...] = ()
    model: str = ""
    account: str = ""


ChatEvent = Started | Text | Thinking | ToolStep | Failed | Done


def failed(error: ParameciumError) -> Failed:
    """Returns the event that tells of an error."""
    return Failed(error.kind, str(error), error.status)
