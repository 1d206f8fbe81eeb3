"""What the extract job works with, as one value, and the events it writes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.memories.events import Event, Note, What
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State
from paramecium.settings import Settings
from paramecium.store.base import ObjectStore
from paramecium.upstream.small_reply import SmallAnswer

OffPath = Mapping[str, Collection[str]]
"""For each conversation that was read the ids of its memories whose messages are no longer on its path."""

BY = "extract"


class Asks(Protocol):
    """Is a small model."""

    def ask(self, system: str, text: str) -> SmallAnswer:
        """Returns the answer to one question; raises UpstreamError."""
        ...


def _unmoved(_done: int, _of: int) -> None:
    """Shows no progress."""


@dataclass(frozen=True, slots=True)
class Extractor:
    """Is one life as the extract job sees it.

    `state` gives the fold of all events that stand. `similar` gives for each note the earlier ones most similar to it,
    none where nothing is similar enough. `remember` keeps a snapshot of what the events add up to.
    """

    store: ObjectStore
    life: str
    archive: Archive
    ledger: Ledger
    model: Asks
    settings: Settings
    state: Callable[[], State]
    similar: Callable[[Sequence[Note]], Sequence[Sequence[Note]]]
    remember: Callable[[OffPath], object]
    progress: Callable[[int, int], None] = _unmoved
    now: clock.Now = clock.now

    def append(self, *what: tuple[What, str]) -> None:
        """Stores what happened, each with why, in the ledger."""
        moment = self.now()
        at = clock.local_iso(moment, self.settings.timezone)
        self.ledger.append([Event(clock.new_id(moment), at, BY, happened, why) for happened, why in what])
