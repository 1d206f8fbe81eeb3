"""What the door needs of the house, as types; wiring gives the real thing, tests a scripted one.

Knows no part by name. Invariant: whatever is not asynchronous here may wait for a disk or a network, so the door calls
it in a thread.
"""

from collections.abc import AsyncIterator
from typing import Protocol

from paramecium.chat.events import Ask, ChatEvent
from paramecium.messages import Json
from paramecium.settings import Settings


class Chat(Protocol):
    """Is the talk of one life."""

    def run(self, ask: Ask) -> AsyncIterator[ChatEvent]:
        """Yields the events of one turn; raises ParameciumError, before the first one if nothing was stored."""
        ...

    async def stop(self, turn: str) -> None:
        """Asks a turn to end as `stopped`, wherever it runs."""
        ...


class Catalogue(Protocol):
    """Is what one life has said, to be listed and read."""

    def list(self, limit: int, before: str | None) -> list[Json]:
        """Returns {"id", "title", "messages", "first", "last"} a conversation, newest first."""
        ...

    def read(self, conversation: str) -> Json:
        """Returns {"id", "title", "messages": [...]}; raises ConversationMissing or Ambiguous."""
        ...


class House(Protocol):
    """Is everything behind the door; it may have a `start` and a `close`, plain or asynchronous."""

    @property
    def settings(self) -> Settings:
        """Returns the configuration, which does not change while the door is open."""
        ...

    def chat(self, life: str) -> Chat:
        """Returns the talk of a life."""
        ...

    def catalogue(self, life: str) -> Catalogue:
        """Returns what a life has said."""
        ...

    def search(self, life: str, query: Json) -> Json:
        """Returns {"memories": [...], "windows": [...]} for {"query", "exact", "after", "before", ...}."""
        ...

    def preview(self, life: str, text: str, conversation: str | None, at: str | None) -> Json:
        """Returns {"lines": [...], "text", "tokens", "late"}: the menu of a text, which counts as nothing."""
        ...

    def stores_ok(self) -> Json:
        """Returns how the stores are, with a boolean "ok"."""
        ...
