"""The proof of the memories: each event can be read, and each note stands on the very words it quotes.

Knows the ledger and the entries it is shown; reads no conversation by itself. Invariant: an event that is damaged or
gone, a note whose words are not those of its message, and one that outlived them, are each a sentence naming the key
or the id; no sentence holds a word of a talk.
"""

from collections.abc import Callable, Iterable

from paramecium.errors import Damaged
from paramecium.memories.events import Added, Event, Forgotten, Note
from paramecium.memories.history import named_by
from paramecium.memories.ledger import Ledger
from paramecium.memories.quotes import memory_id
from paramecium.messages import Entry
from paramecium.store.base import AppendOnly


class MemoryProof:
    """Compares the notes of a life with the messages they stand on, as these are read; `wrong` is told what is wrong.

    `count` is the number of memories with a note that can be read.
    """

    def __init__(self, store: AppendOnly, life: str, wrong: Callable[[str], None]) -> None:
        self._wrong = wrong
        self._waiting: dict[tuple[str, str], dict[Note, None]] = {}
        known = self._known(Ledger(store, life))
        for event in known.values():
            if isinstance(event.what, Added):
                note = event.what.note
                self._waiting.setdefault((note.conversation, note.message), {})[note] = None
        self.count = len({note.id for notes in self._waiting.values() for note in notes})

    def entry(self, conversation: str, entry: Entry) -> None:
        """Compares the notes that stand on an entry with it."""
        for note in self._waiting.pop((conversation, entry.id), {}):
            if entry.kind == "tombstone":
                self._wrong(f"memory {note.id} still carries words of {conversation} message {entry.id}, a tombstone")
                continue
            for what in _differences(note, entry):
                self._wrong(f"memory {note.id} stands on {conversation} message {entry.id}, and {what}")
            if note.id != memory_id(note.conversation, note.message, note.start, note.end, note.quote):
                self._wrong(f"memory {note.id} does not have the id of its quote")

    def unreadable(self, conversation: str) -> None:
        """Leaves out a conversation that cannot be read in the archive."""
        self._waiting = {place: notes for place, notes in self._waiting.items() if place[0] != conversation}

    def end(self) -> None:
        """Notes the memories whose message was not among the entries."""
        for (conversation, message), notes in self._waiting.items():
            for note in notes:
                where = f"{conversation} message {message}"
                self._wrong(f"memory {note.id} stands on {where}, which the archive does not have")

    def _known(self, ledger: Ledger) -> dict[str, Event]:
        """Returns the events that can be read by their keys, after each was looked at."""
        known: dict[str, Event] = {}
        whole = True
        for key, found in ledger.examine():
            if isinstance(found, Damaged):
                whole = False
                self._wrong(str(found))
            else:
                known[key] = found
        if whole:  # else what is named may stand in what cannot be read
            self._named(known)
        return known

    def _named(self, known: dict[str, Event]) -> None:
        ids = _told_of(known.values())
        for key, event in known.items():
            for ident in named_by(event):
                if ident not in ids:
                    self._wrong(f"{key} names memory {ident}, which no event adds")


def _told_of(events: Iterable[Event]) -> set[str]:
    """Returns the ids of the memories that were added or forgotten."""
    return {named_by(event)[0] for event in events if isinstance(event.what, Added | Forgotten)}


def _differences(note: Note, entry: Entry) -> list[str]:
    """Says in which a note is not what its message is."""
    out = []
    if not entry.is_message:
        out.append("that is no message of the talk")
    if not 0 <= note.start < note.end <= len(entry.text) or entry.text[note.start : note.end] != note.quote:
        out.append(f"its quote is not characters {note.start} to {note.end} of it")
    said = {"n": entry.n, "said_at": entry.at, "speaker": entry.speaker, "role": entry.role or ""}
    return out + [f"its {name} is not the message's" for name, value in said.items() if getattr(note, name) != value]
