"""Transcripts of conversations, read from the archive and kept warm: the last four, of which only what is new is read.

Knows how a path is found and how recalled words are put back into stored answers. Synchronous: it runs in a thread.
Invariant: entries are those of the archive in order of their numbers; a path ends with the message it was asked for.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from paramecium.chat.quotations import Quotations, Reading
from paramecium.chat.rounds import GONE, Words, has_recalled, recalled_parts, restore
from paramecium.errors import ConversationMissing
from paramecium.messages import Entry, chain, path

KEPT_MAX: Final = 4
NEW_BEGINNING: Final = ""


class Transcripts:
    """Reads conversations of one life; several turns may ask at once."""

    def __init__(self, archive: Reading, life: str) -> None:
        self._archive = archive
        self._quotations = Quotations(archive, life)
        self._warm: OrderedDict[str, Transcript] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, conv: str) -> "Transcript":
        """Returns a conversation as it stands now; raises ConversationMissing, Damaged."""
        with self._lock:
            warm = self._warm.get(conv)
        known = warm.entries if warm else ()
        # What is known was read and stored in whole blocks.
        entries = known + self._archive.behind(conv, known[-1].n + 1) if known else self._archive.read(conv)
        loaded = Transcript(conv, entries, self._quotations, warm.restored if warm else {})
        self._keep(loaded)
        return loaded

    def add(self, conv: str, stored: Sequence[Entry]) -> None:
        """Takes entries this process has just stored, so that the next turn need not read them back."""
        with self._lock:
            warm = self._warm.get(conv, Transcript(conv, (), self._quotations, {}))
        if stored[0].n == warm.tail:
            self._keep(replace(warm, entries=(*warm.entries, *stored)))

    def _keep(self, transcript: "Transcript") -> None:
        with self._lock:
            self._warm[transcript.id] = transcript
            self._warm.move_to_end(transcript.id)
            if len(self._warm) > KEPT_MAX:
                self._warm.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Transcript:
    """Is a conversation as far as it was read; `restored` keeps the answers whose recalled words were put back."""

    id: str
    entries: tuple[Entry, ...]
    quotations: Quotations
    restored: dict[str, Entry]

    @property
    def tail(self) -> int:
        """Returns the number the next entry will have."""
        return self.entries[-1].n + 1 if self.entries else 0

    def path(self, parent: str | None) -> tuple[Entry, ...]:
        """Returns the messages up to `parent`, None meaning the leaf and "" none at all, with recalled words in place.

        Raises ConversationMissing when there is no such message.
        """
        messages = {e.id: e for e in self.entries if e.kind == "message"}
        if parent is None:
            found = path(self.entries)
        elif parent == NEW_BEGINNING:
            found = ()
        elif parent in messages:
            found = tuple(messages[i] for i in self.ids_to(parent) if i in messages)
        else:
            raise ConversationMissing(f"conversation {self.id} has no message {parent}")
        quoting = [e for e in found if e.id not in self.restored and has_recalled(e.rounds)]
        if quoting:
            parts = [part for entry in quoting for part in recalled_parts(entry.rounds)]
            words = self.quotations.of(self.id, self.entries, parts)
            restored = {entry.id: self._restored(entry, words) for entry in quoting}
            return tuple(restored.get(e.id) or self.restored.get(e.id, e) for e in found)
        return tuple(self.restored.get(e.id, e) for e in found)

    def stored(self, path: Sequence[Entry]) -> tuple[Entry, ...]:
        """Returns the entries of a path as they are stored, with references where recalled words stand."""
        by_id = {e.id: e for e in self.entries if e.kind == "message"}
        return tuple(by_id[entry.id] for entry in path)

    def ids_to(self, leaf: str) -> tuple[str, ...]:
        """Returns the ids from the beginning to `leaf`; a tombstone keeps its place in the chain and says nothing."""
        return chain({e.id: e.parent for e in self.entries if e.kind in ("message", "tombstone")}, leaf)

    def _restored(self, entry: Entry, words: Words) -> Entry:
        """Gives an answer its recalled words; where some are gone it is looked at again the next time."""
        rounds = restore(entry.rounds, words)
        restored = replace(entry, rounds=rounds)
        if not any(b.get("content") == GONE for m in rounds for b in m["content"]):
            self.restored[entry.id] = restored
        return restored
