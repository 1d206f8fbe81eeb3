"""Keeps the snapshot of the memories: what is new gets a vector, and what left its conversation's path is noted.

Knows the archive and where the messages stand; how a snapshot is kept is known by `memories/keeping`.
Invariant: only what is derived is written; a run may die anywhere, and the next goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, ConversationMissing, Damaged
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper, Kept
from paramecium.memories.state import State
from paramecium.messages import Entry, path

_CONVERSATIONS_MAX = 16


def remember(
    keeper: Keeper,
    archive: Archive,
    conversations: Iterable[str] | None = None,
    *,
    anew: bool = False,
    whole: bool = False,
) -> Kept:
    """Keeps the snapshot, and looks again at the paths of `conversations`, or of all there are memories of.

    `anew` and `whole` are those of `keep_snapshot`, whose errors it raises.
    """
    messages = Messages(archive)
    keeper = replace(keeper, text_of=messages.text_of)
    named = None if conversations is None else tuple(conversations)

    def off_path(state: State) -> dict[str, tuple[str, ...]]:
        return messages.off_path(state, named)

    return keep_snapshot(keeper, off_path, anew=anew, whole=whole)


@dataclass(frozen=True)
class Messages:
    """Reads messages of the archive, and keeps the last conversations it read."""

    archive: Archive
    _read: dict[str, tuple[Entry, ...]] = field(default_factory=dict)

    def text_of(self, conversation: str, message: str) -> str | None:
        """Returns the text of a message, None when there is none."""
        texts = (entry.text for entry in self._entries(conversation) if entry.is_message and entry.id == message)
        return next(texts, None) or None

    def off_path(self, state: State, conversations: Iterable[str] | None) -> dict[str, tuple[str, ...]]:
        """Returns for each conversation (None: all of the state) the memories whose message is not on its path.

        One that cannot be read is left out: what was known of it stays.
        """
        memories: dict[str, list[tuple[str, str]]] = {}
        for memory in state.memories.values():
            memories.setdefault(memory.note.conversation, []).append((memory.note.id, memory.note.message))
        found: dict[str, tuple[str, ...]] = {}
        for conversation in sorted(memories) if conversations is None else conversations:
            entries = self._entries(conversation)
            if entries:
                on_path = {entry.id for entry in path(entries)}
                found[conversation] = tuple(i for i, m in memories.get(conversation, ()) if m not in on_path)
        return found

    def _entries(self, conversation: str) -> tuple[Entry, ...]:
        if conversation not in self._read:
            if len(self._read) >= _CONVERSATIONS_MAX:
                self._read.clear()
            try:
                self._read[conversation] = self.archive.read(conversation)
            except (BadId, ConversationMissing, Damaged):
                self._read[conversation] = ()
        return self._read[conversation]
