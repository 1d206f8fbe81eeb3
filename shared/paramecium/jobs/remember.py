"""Keeps the snapshot of the memories: what is new gets a vector, and what left its conversation's path is noted.

Knows the archive and where the messages stand; how a snapshot is kept is known by `memories/keeping`.
Invariant: only what is derived is written; a run may die anywhere, and the next goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, ConversationMissing, Damaged, KeyMissing
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper, Kept, Look
from paramecium.memories.snapshot import read_pointer
from paramecium.memories.state import State
from paramecium.messages import Entry, path
from paramecium.recall.fresh import LOOK_BACK
from paramecium.store import keys

_CONVERSATIONS_MAX = 16


def remember(
    keeper: Keeper,
    archive: Archive,
    conversations: Iterable[str] | None = None,
    *,
    anew: bool = False,
    whole: bool = False,
    all_paths: bool = True,
) -> Kept:
    """Keeps the snapshot, and looks again at the paths of `conversations`, or of all there are memories of.

    Without `all_paths` "all" are those that something arrived for, or a memory came of, since all were last looked at.
    `anew` and `whole` are those of `keep_snapshot`, whose errors it raises.
    """
    messages = Messages(archive)
    keeper = replace(keeper, text_of=messages.text_of)
    named = None if conversations is None else tuple(conversations)
    since = "" if all_paths or anew or named is not None else _looked(keeper)
    look = Look(since, keeper.now().isoformat())
    missed = named is not None

    def off_path(state: State) -> dict[str, tuple[str, ...]]:
        nonlocal missed
        wanted = _touched(archive, state, since) if since else named
        found = messages.off_path(state, wanted)
        missed = missed or len(found) < len(_all(state) if wanted is None else wanted)
        return found

    return keep_snapshot(keeper, off_path, anew=anew, whole=whole, look=lambda: None if missed else look)


def _all(state: State) -> set[str]:
    return {memory.note.conversation for memory in state.memories.values()}


def _looked(keeper: Keeper) -> str:
    """Returns the moment up to which all paths were looked at, "" when that is not known, or a wrong clock told it."""
    try:
        looked = read_pointer(keeper.store.get(keys.memory_snapshot(keeper.life)), keeper.life).looked
    except (KeyMissing, Damaged):
        return ""
    return looked if looked and datetime.fromisoformat(looked) <= keeper.now() else ""


def _touched(archive: Archive, state: State, since: str) -> tuple[str, ...]:
    """Returns the conversations with memories that may have another path than at moment `since`."""
    began = datetime.fromisoformat(since) - LOOK_BACK
    arrived = {arrival.conversation for arrival in archive.arrivals(began)} & _all(state)
    added = {m.note.conversation for m in state.memories.values() if not _is_before(m.added_at, began)}
    return tuple(sorted(arrived | added))


def _is_before(at: str, moment: datetime) -> bool:
    try:
        return datetime.fromisoformat(at) < moment
    except (ValueError, TypeError):
        return False


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
