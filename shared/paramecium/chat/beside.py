"""What may be placed beside a question, and whom it is asked of: the documents written by hand, and the menu.

Synchronous: it runs in a thread. Knows that a turn needs neither: what fails is a line in the log and an empty place.
Invariant: no failure of the menu reaches the turn; documents fail only when the store itself is away.
"""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from paramecium.chat.afterglow import MODEL, context_of
from paramecium.chat.known import Known
from paramecium.memories.documents import Documents
from paramecium.messages import Entry, Json
from paramecium.recall.menu import Menu, Occasion

_log = logging.getLogger(__name__)


class Written(Protocol):
    """Is what is written by hand."""

    def read(self, since: str = "") -> Documents:
        """Returns the documents; of diary and memos only what may be of day `since` (YYYY-MM-DD) or later."""
        ...


class Offer(Protocol):
    """Is a menu in the making."""

    def offer(self, occasion: Occasion) -> Menu:
        """Returns the menu for an occasion."""
        ...

    def drop(self) -> None:
        """Ends it without a menu; after `offer` it does nothing."""
        ...


class Offering(Protocol):
    """Is what makes menus."""

    def begin(self, text: str) -> Offer:
        """Begins the menu of a message, of whose occasion only the words are known yet."""
        ...


@dataclass(frozen=True, slots=True)
class Beside:
    """Is where a turn gets its profile and its menu from, None where there is none."""

    documents: Written | None = None
    offering: Offering | None = None

    @contextmanager
    def begun(self, since: str, text: str | None) -> Iterator["Begun"]:
        """Begins at once what a turn needs, while its transcript is read; `text` is None when no menu is wanted."""
        read, offer = self.documents, None
        with ThreadPoolExecutor(1) as pool:
            written = pool.submit(read.read, since) if read else None
            try:
                offer = self._begin(text) if text is not None else None
                yield Begun(written, offer)
            finally:
                if offer is not None:
                    offer.drop()

    def _begin(self, text: str) -> Offer | None:
        try:
            return self.offering.begin(text) if self.offering else None
        except Exception as error:  # noqa: BLE001 - whatever breaks in the memory, the talk goes on
            _tell(error)
            return None


@dataclass(frozen=True, slots=True)
class Begun:
    """Is what is being read beside a transcript."""

    documents: "Future[Documents] | None" = None
    offer: Offer | None = None

    def written(self) -> Documents:
        """Returns the documents; raises StoreUnavailable when they were never read."""
        return self.documents.result() if self.documents else Documents()

    def offered(self, occasion: Occasion) -> tuple[Menu | None, Json | None]:
        """Returns the menu and the context of the message, None when there is no one to ask or it failed."""
        if self.offer is None:
            return None, None
        try:
            menu = self.offer.offer(occasion)
            return menu, context_of(menu.context, menu.model)
        except Exception as error:  # noqa: BLE001 - whatever breaks in the memory, the talk goes on
            _tell(error)
            return None, None


def _tell(error: Exception) -> None:
    # The words of an unknown error may be a person's.
    _log.warning("there is no menu for a message: %s", type(error).__name__)


NOTHING: Final = Beside()


def occasion_of(text: str, moment: datetime, conversation: str, path: Sequence[Entry], known: Known) -> Occasion:
    """Returns the occasion of a message that follows `path`."""
    reply = next((entry for entry in reversed(path) if entry.role == "assistant"), None)
    if reply is not None and reply.source.get("echo") is True:  # what was quoted was about nothing of its own
        reply = None
    model = reply.more.get(MODEL) if reply else None
    return Occasion(
        text,
        moment,
        conversation,
        reply.text if reply else "",
        reply.afterglow if reply else (),
        model if isinstance(model, str) else "",
        known.recalled,
        known.listed | frozenset(known.recalled),
        known.seen,
        known.room,
    )
