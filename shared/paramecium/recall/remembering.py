"""What a model opened goes into the ledger: one event a call.

Knows when and by whom; what was opened is the tool's affair. Invariant: nothing else in the house writes `Recalled`.
"""

from dataclasses import dataclass

from paramecium import clock
from paramecium.memories.events import Event, Recalled
from paramecium.memories.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Remembering:
    """Writes the recalls of one life."""

    ledger: Ledger
    timezone: str
    now: clock.Now = clock.now

    def __call__(self, what: Recalled, by: str) -> None:
        """Notes one call; raises StoreUnavailable, OutcomeUnknown, AlreadyExists."""
        moment = self.now()
        self.ledger.append([Event(clock.new_id(moment), clock.local_iso(moment, self.timezone), by, what)])
