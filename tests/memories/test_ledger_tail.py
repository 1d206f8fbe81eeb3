"""Where the first event of a process goes: found from what the snapshot tells, and never beyond the end."""

from collections.abc import Iterator

import pytest

from paramecium.memories.events import Event, Retired
from paramecium.memories.ledger import Ledger
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore

STANDING = 1200


def _event(i: int) -> Event:
    return Event(f"e-{i}", "2026-06-12T10:00:00+08:00", "test", Retired(f"m-{i}"))


class Pages(WatchedStore):
    """Counts how many keys lists have given."""

    listed = 0

    def list(self, prefix: str, after: str = "") -> Iterator[str]:
        """Lists and counts."""
        for key in super().list(prefix, after):
            self.listed += 1
            yield key


@pytest.mark.parametrize(
    ("supposed", "listed"), [(STANDING, 0), (STANDING - 5, 5), (STANDING + 7, STANDING), (0, STANDING)]
)
def test_a_hint_saves_the_list_of_all_and_a_wrong_one_makes_no_gap(supposed: int, listed: int) -> None:
    """The event stands under the next number whatever was supposed; a good hint lists only what is behind it."""
    store = RamStore()
    Ledger(store, "main").append([_event(i) for i in range(STANDING)])
    watched = Pages(store)
    ledger = Ledger(watched, "main")
    ledger.suppose(supposed)
    assert ledger.append([_event(STANDING)]) == STANDING + 1
    assert keys.event("main", STANDING) in store.list(keys.events("main"))
    assert watched.listed == listed
