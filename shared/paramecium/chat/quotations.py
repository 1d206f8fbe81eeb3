"""The words that references in stored answers point to, read from wherever they stand.

Words of a document are read from the version that was quoted, whatever the document says by now.

Synchronous: it runs in a thread. Another conversation is read only when a reference leads there.
Invariant: what is returned are characters of exactly the message that was named, as it stands now, or None.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from paramecium.chat.rounds import Words
from paramecium.errors import Damaged, Missing
from paramecium.messages import Entry
from paramecium.store import keys

_DOCUMENT = re.compile(r"vault-[0-9a-f]{40}\Z")


class Reading(Protocol):
    """Is what a transcript needs of the archive."""

    def read(self, conv: str, from_n: int = 0) -> tuple[Entry, ...]:
        """Returns the entries from number `from_n` on; raises ConversationMissing when nothing is there at all."""
        ...

    def behind(self, conv: str, end: int) -> tuple[Entry, ...]:
        """Returns the entries from number `end` on, at which a block ends."""
        ...

    def block(self, key: str) -> tuple[Entry, ...]:
        """Returns the entries of one block; raises Missing, Damaged."""
        ...

    def file(self, sha256: str) -> str:
        """Returns a text that stands under its hash; raises Missing, Damaged."""
        ...


class Quotations:
    """Finds quoted words in the conversations of one life."""

    def __init__(self, archive: Reading, life: str) -> None:
        self._archive = archive
        self._life = life

    def of(self, here: str, entries: Sequence[Entry]) -> Words:
        """Returns the function that finds words for one stored answer, whose own conversation is at hand."""
        read: dict[str, dict[int, Entry]] = {here: {e.n: e for e in entries}}
        documents: dict[str, str | None] = {}

        def words(conv: str, n: int, message: str, start: int, end: int) -> str | None:
            if _DOCUMENT.match(conv) and message not in documents:
                documents[message] = self._document(message)
            if (text := documents.get(message)) is not None:
                return text[start:end] if len(text) >= end else None
            if n not in read.setdefault(conv, {}):
                read[conv] |= self._around(conv, n)
            entry = read[conv].get(n)
            if entry is None or entry.id != message or entry.kind != "message" or len(entry.text) < end:
                return None
            return entry.text[start:end]

        return words

    def _document(self, sha256: str) -> str | None:
        try:
            return self._archive.file(sha256)
        except (Missing, Damaged):
            return None

    def _around(self, conv: str, n: int) -> Mapping[int, Entry]:
        try:
            found = self._block(conv, n)
        except (Missing, Damaged):
            return {}
        return {e.n: e for e in found}

    def _block(self, conv: str, n: int) -> tuple[Entry, ...]:
        # A live turn's message is a block of its own; an imported one stands somewhere inside a larger block.
        try:
            return self._archive.block(keys.block(self._life, conv, n))
        except Missing:
            return self._archive.read(conv, n)
