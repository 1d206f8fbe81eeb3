"""A process that dies while it reads what is written by hand: nothing is half, and the turn can be asked again."""

import pytest

from paramecium.chat.beside import Beside
from paramecium.memories.document_reader import DocumentReader
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import LIFE, FakeOffering, House, calls, done, menu_of, says
from tests.chat.test_turn_kills import NEXT, lived, standing, told_until_death
from tests.fakes import WatchedStore


def written() -> RamStore:
    """Returns a store in which one turn was had and documents were written."""
    store = lived()
    for name in ("profile/persona.md", "facts/茶.md", "diary/2026-06-11.md"):
        store.create(f"{LIFE}/{name}", "雨".encode())
    return store


def answering(store: RamStore | WatchedStore) -> House:
    """Returns a house with documents and a menu, whose model looks something up and answers."""
    house = House(store, beside=Beside(DocumentReader(store, LIFE), FakeOffering(menu_of("海"))))
    house.says(calls("雪"), says("新的答话"))
    return house


@pytest.mark.parametrize("after", [False, True])
def test_death_at_every_store_call_of_a_turn_with_documents(after: bool) -> None:
    """Whenever it dies, what stands is whole, and asked again question and answer stand once, beside what was given."""
    watched = WatchedStore(written())
    assert done(answering(watched).turn(NEXT)).status == "complete"
    for number in range(1, len(watched.calls) + 1):
        store = written()
        told_until_death(answering(WatchedStore(store, die_at=number, after=after)), NEXT)
        asked = [e for e in standing(store, NEXT) if e.text == NEXT.text]
        assert done(answering(store).turn(NEXT)).status == "complete"
        entries = standing(store, NEXT)
        assert [e.text for e in entries] == ["旧的话", "旧的答话", NEXT.text, "新的答话"], number
        assert (entries[2].given or {})["menu"] == [{"id": "m-海", "lanes": ["message"]}]
        assert asked in ([], [entries[2]])
