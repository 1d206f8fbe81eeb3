"""Transcripts of conversations, read from the archive and kept warm: the last four, of which only what is new is read.

Knows how a path is found and how recalled words are put back into stored answers. Synchronous: it runs in a thread.
Invariant: entries are those of the archive in order of their numbers; a path ends with the message it was asked for.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from paramecium.chat.rounds import GONE, has_recalled, restore
from paramecium.errors import ConversationMissing, Damaged, Missing
from paramecium.messages import Entry, chain, path
from paramecium.store import keys

KEPT_MAX: Final = 4
NEW_BEGINNING: Final = ""


class Reading(Protocol):
    """Is what a transcript needs of the archive."""

    def read(self, conv: str, from_n: int = 0) -> tuple[Entry, ...]:
        """Returns whole blocks with number >= from_n; raises ConversationMissing."""
        ...

    def block(self, key: str) -> tuple[Entry, ...]:
        """Returns the entries of one block; raises Missing, Damaged."""
        ...


@dataclass(slots=True)
class _Warm:
    entries: tuple[Entry, ...] = ()
    restored: dict[str, Entry] = field(default_factory=dict)


class Transcripts:
    """Reads conversations of one life; several turns may ask at once."""

    def __init__(self, archive: Reading, life: str) -> None:
        self._archive = archive
        self._life = life
        self._warm: OrderedDict[str, _Warm] = OrderedDict()
        self._lock = threading.Lock()

    def entries(self, conv: str) -> tuple[Entry, ...]:
        """Returns all entries of a conversation; raises ConversationMissing."""
        return self._fresh(conv).entries

    def path(self, conv: str, parent: str | None) -> tuple[Entry, ...]:
        """Returns the messages up to `parent`, None meaning the leaf and "" none at all, with recalled words in place.

        Raises ConversationMissing when the conversation or the parent is not there.
        """
        warm = self._fresh(conv)
        messages = {e.id: e for e in warm.entries if e.kind == "message"}
        if parent is None:
            found = path(warm.entries)
        elif parent == NEW_BEGINNING:
            found = ()
        elif parent in messages:
            found = tuple(messages[i] for i in chain({i: e.parent for i, e in messages.items()}, parent))
        else:
            raise ConversationMissing(f"conversation {conv} has no message {parent}")
        return tuple(self._restored(conv, warm, entry) for entry in found)

    def _fresh(self, conv: str) -> _Warm:
        with self._lock:
            warm = self._warm.get(conv, _Warm())
        start = warm.entries[-1].n + 1 if warm.entries else 0
        new = tuple(e for e in self._archive.read(conv, start) if e.n >= start)
        warm = _Warm(warm.entries + new, warm.restored)
        with self._lock:
            self._warm[conv] = warm
            self._warm.move_to_end(conv)
            if len(self._warm) > KEPT_MAX:
                self._warm.popitem(last=False)
        return warm

    def _restored(self, conv: str, warm: _Warm, entry: Entry) -> Entry:
        if not has_recalled(entry.rounds):
            return entry
        if entry.id not in warm.restored:
            sources = {conv: {e.n: e for e in warm.entries}}
            rounds = restore(entry.rounds, lambda *where: self._words(sources, *where))
            restored = replace(entry, rounds=rounds)
            if any(b.get("content") == GONE for m in rounds for b in m["content"]):
                return restored
            warm.restored[entry.id] = restored
        return warm.restored[entry.id]

    def _words(
        self, sources: dict[str, dict[int, Entry]], conv: str, n: int, message: str, start: int, end: int
    ) -> str | None:
        if n not in sources.get(conv, {}):
            sources[conv] = {**sources.get(conv, {}), **self._around(conv, n)}
        entry = sources[conv].get(n)
        if entry is None or entry.id != message or entry.kind != "message" or len(entry.text) < end:
            return None
        return entry.text[start:end]

    def _around(self, conv: str, n: int) -> Mapping[int, Entry]:
        # A live turn's message is a block of its own; an imported one stands somewhere inside a larger block.
        try:
            try:
                found = self._archive.block(keys.block(self._life, conv, n))
            except Missing:
                found = self._archive.read(conv)
        except (Missing, Damaged):
            return {}
        return {e.n: e for e in found}
