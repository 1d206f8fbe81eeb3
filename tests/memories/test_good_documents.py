"""The last good text of a bad file, kept from one process to the next."""

import pytest

from paramecium.memories.good_documents import keep_good
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.memories.fakes_documents import BAD, FILES, NOT_UTF8, House, persona


@pytest.mark.parametrize("bad", BAD)
def test_a_cold_process_uses_what_was_kept(bad: str | bytes) -> None:
    """A process that never saw the good text takes it from where ingest has kept it."""
    house = House(FILES)
    before = house.reader.read()
    keep_good(house.store, "main", before, "w")
    for name in FILES:
        house.write(name, bad)
    cold = house.fresh().read()
    assert (cold.persona, cold.user, cold.relationship) == (before.persona, before.user, before.relationship)
    assert (cold.vault, len(cold.bad)) == (before.vault, 7)
    keep_good(house.store, "main", cold, "w")
    assert house.fresh().read().vault == before.vault


@pytest.mark.parametrize("kept", [None, b"{", b"[]", b'{"generation":1,"documents":{"profile/persona.md":3}}'])
def test_what_was_never_good_is_left_out(kept: bytes | None) -> None:
    """Without a good text, or with a damaged keeping of it, a bad file is named and the others are read."""
    house = House({**FILES, "profile/persona.md": NOT_UTF8})
    if kept is not None:
        house.ram.create(keys.good_documents("main"), kept)
    found = house.reader.read()
    assert (found.persona, len(found.vault), len(found.bad)) == (None, 6, 1)
    assert "left out" in found.bad[0]
    house.calls()
    house.reader.read()
    assert "get" not in house.calls()


def test_what_is_kept_is_written_only_when_it_changed() -> None:
    """Keeping the same again is one look; another text, or a damaged keeping, is written over."""
    house = House(FILES)

    def keep() -> None:
        keep_good(house.store, "main", house.fresh().read(), "w")

    keep()
    house.calls()
    keep()
    assert "replace" not in house.calls()
    house.write("facts/茶.md", "红茶")
    keep()
    assert house.calls()[-1] == "replace"
    spoil(house.ram)
    keep()
    assert house.calls()[-1] == "replace"


def spoil(store: RamStore) -> None:
    """Damages what is kept."""
    key = keys.good_documents("main")
    store.replace(key, b"{", store.get(key).version)


def test_another_writer_of_what_is_kept_is_let_be() -> None:
    """Two that keep at once both end; one of the two texts stands, whole."""
    house = House(FILES)
    documents = house.reader.read()

    class Racing(WatchedStore):
        def create(self, key: str, body: bytes) -> str:
            self.inner.create(key, b'{"generation":1,"v":1,"documents":{}}')
            return super().create(key, body)

    keep_good(Racing(house.ram), "main", documents, "w")
    house.write("profile/persona.md", NOT_UTF8)
    assert persona(house.fresh().read()) == "你是小草。\n"
