"""The words that references in stored answers point to, read from wherever they stand.

Words of a document are read from the version that was quoted, whatever the document says by now.

Synchronous: it runs in a thread. Another conversation is read only when a reference leads there.
Invariant: what is returned are characters of exactly the message that was named, as it stands now, or None.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from paramecium.archive.conversations import GETS_AT_ONCE
from paramecium.chat.rounds import Words
from paramecium.errors import Damaged, Missing
from paramecium.messages import Entry, Json
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

    def of(self, here: str, entries: Sequence[Entry], parts: Iterable[Json] = ()) -> Words:
        """Returns the function that finds words for stored answers, whose own conversation is at hand.

        `parts` are the references that will be asked for: what they need is read here, 16 blocks at once.
        """
        read: dict[str, dict[int, Entry]] = {here: {e.n: e for e in entries}}
        self._gather(
            read, sorted({(p["conversation"], p["n"]) for p in parts if not _DOCUMENT.match(p["conversation"])})
        )
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

    def _gather(self, read: dict[str, dict[int, Entry]], places: Sequence[tuple[str, int]]) -> None:
        """Reads the blocks of places; the first of each conversation tells whether one block holds the others, too."""
        firsts = dict(reversed(places)).items()
        for some in (firsts, places):
            todo = [(conv, n) for conv, n in some if n not in read.setdefault(conv, {})]
            if todo:
                with ThreadPoolExecutor(min(GETS_AT_ONCE, len(todo))) as pool:
                    for (conv, _), found in zip(todo, pool.map(lambda place: self._around(*place), todo), strict=True):
                        read[conv] |= found

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
