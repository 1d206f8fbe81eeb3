"""Objects that are the same whoever creates them."""

import pytest

from paramecium.archive.once import ensure
from paramecium.errors import OutcomeUnknown
from paramecium.store.ram import RamStore
from tests.archive.fakes_unsure import UnsureStore


def test_what_stands_already_is_success() -> None:
    """A second creation changes nothing and raises nothing."""
    store = RamStore()
    ensure(store, "main/a", b"1")
    ensure(store, "main/a", b"1")
    assert store.get("main/a").body == b"1"


@pytest.mark.parametrize("done", [True, False])
def test_an_unknown_outcome_is_tried_again(done: bool) -> None:
    """Whether the unanswered write happened or not, the object stands afterwards."""
    store = UnsureStore(RamStore(), unsure=range(1, 2), done=done)
    ensure(store, "main/a", b"1")
    assert store.get("main/a").body == b"1"
    assert store.creates == 2


def test_a_store_that_never_answers_is_told() -> None:
    """After three writes without an answer the unknown outcome is raised."""
    store = UnsureStore(RamStore(), unsure=range(1, 99), done=False)
    with pytest.raises(OutcomeUnknown):
        ensure(store, "main/a", b"1")
    assert store.creates == 3
