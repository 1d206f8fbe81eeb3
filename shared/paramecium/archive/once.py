"""Creating an object that is the same whoever creates it: content-addressed originals, and arrivals.

Knows that a second creation changes nothing; knows nothing of what the object means.
Invariant: after `ensure` returned, the object stands.
"""

from typing import Final

from paramecium import clock
from paramecium.errors import AlreadyExists, OutcomeUnknown
from paramecium.store.base import AppendOnly

TRIES_MAX: Final = 3
_PAUSE_S = 0.05


def ensure(store: AppendOnly, key: str, body: bytes) -> None:
    """Creates the object, or finds that it stands already; raises OutcomeUnknown after 3 tries without an answer."""
    for attempt in range(TRIES_MAX):
        try:
            store.create(key, body)
        except AlreadyExists:
            return
        except OutcomeUnknown:
            if attempt == TRIES_MAX - 1:
                raise
            clock.wait(clock.jitter(_PAUSE_S))
        else:
            return
