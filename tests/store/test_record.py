"""A document that many change: no change is lost, an unknown outcome is recognised, no version comes back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from paramecium import clock
from paramecium.errors import AlreadyExists, Damaged, OutcomeUnknown, StoreUnavailable, VersionMismatch
from paramecium.messages import Json, dump_json, load_json
from paramecium.store import record
from paramecium.store.base import Blob
from paramecium.store.ram import RamStore

KEY = "derived/main/index/manifest.json"


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Records the pauses between two tries instead of waiting."""
    recorded: list[float] = []
    monkeypatch.setattr(clock, "wait", recorded.append)
    return recorded


class DisturbedStore(RamStore):
    """Runs the next of its disturbances before a write, and loses the answers of the first `lost` writes."""

    def __init__(self, *before: Callable[[], object], lost: int = 0, has_effect: bool = True) -> None:
        super().__init__()
        self.before = list(before)
        self.lost = lost
        self.has_effect = has_effect
        self.away = False

    def get(self, key: str) -> Blob:
        """Reads, unless the store is away."""
        if self.away:
            raise StoreUnavailable(key)
        return super().get(key)

    def create(self, key: str, body: bytes) -> str:
        """Creates, disturbed."""
        return self._disturbed(key, lambda: super(DisturbedStore, self).create(key, body))

    def replace(self, key: str, body: bytes, expected_version: str) -> str:
        """Replaces, disturbed."""
        return self._disturbed(key, lambda: super(DisturbedStore, self).replace(key, body, expected_version))

    def _disturbed(self, key: str, write: Callable[[], str]) -> str:
        if self.before:
            self.before.pop(0)()
        if not self.lost:
            return write()
        self.lost -= 1
        if self.has_effect:
            write()
        raise OutcomeUnknown(key)


def add(word: str) -> Callable[[Json], Json]:
    """Returns a change that adds a word."""
    return lambda value: {**value, "words": [*value.get("words", []), word]}


def words(store: RamStore) -> list[str]:
    """Returns the words of the document."""
    found: list[str] = record.read(store, KEY).value["words"]
    return found


def rival(store: RamStore, word: str) -> Callable[[], object]:
    """Returns a write by somebody else, past all disturbances."""

    def write() -> object:
        based_on = record.read(store, KEY)
        value = add(word)(based_on.value) | {"generation": based_on.generation + 1, "writer": "rival"}
        body = dump_json(value)
        if based_on.version is None:
            return RamStore.create(store, KEY, body)
        return RamStore.replace(store, KEY, body, based_on.version)

    return write


def test_a_document_begins_empty() -> None:
    """Where nothing stands there is an empty document of generation 0, and reading makes none."""
    store = RamStore()
    assert record.read(store, KEY) == record.Record({}, None)
    assert record.read(store, KEY).generation == 0
    assert list(store.list("")) == []


def test_a_change_stands_with_generation_and_writer() -> None:
    """Each change adds one to the generation and names its writer; what was there stays; text is not escaped."""
    store = RamStore()
    record.change(store, KEY, add("雨"), "one")
    written = record.change(store, KEY, add("\ud800"), "two")
    assert written == record.read(store, KEY)
    assert written.value == {"words": ["雨", "\ud800"], "generation": 2, "writer": "two"}
    assert "雨".encode() in store.get(KEY).body


def test_a_change_to_nothing_writes_nothing() -> None:
    """A change that returns None leaves the document, and returns it as read."""
    store = RamStore()
    assert record.change(store, KEY, lambda _: None, "w") == record.Record({}, None)
    first = record.change(store, KEY, add("a"), "w")
    assert record.change(store, KEY, lambda _: None, "w") == first


def test_a_lost_race_starts_again(waits: list[float]) -> None:
    """A change that met faster writers, at the first writing and later, is applied to what they wrote."""
    store = DisturbedStore()
    store.before = [rival(store, "r1"), rival(store, "r2"), lambda: None]
    record.change(store, KEY, add("own"), "w")
    assert words(store) == ["r1", "r2", "own"]
    assert record.read(store, KEY).generation == 3
    assert len(waits) == 2


def test_races_are_not_run_for_ever(waits: list[float]) -> None:
    """After 200 lost races the change gives up, and nothing of it stands."""
    store = DisturbedStore()
    store.before = [rival(store, f"r{n}") for n in range(record.TRIES_MAX)]
    with pytest.raises(VersionMismatch, match="200"):
        record.change(store, KEY, add("own"), "w")
    assert words(store) == [f"r{n}" for n in range(record.TRIES_MAX)]


def test_an_own_write_is_recognised() -> None:
    """A write whose answer was lost is found by its bytes and not done twice, first and later."""
    store = DisturbedStore(lost=1)
    assert record.change(store, KEY, add("a"), "w") == record.read(store, KEY)
    store.lost = 1
    record.change(store, KEY, add("b"), "w")
    assert words(store) == ["a", "b"]


def test_a_write_that_did_not_happen_is_done_again() -> None:
    """A lost write without effect is tried again; as the first one, as a later one, and several times."""
    store = DisturbedStore(lost=2, has_effect=False)
    record.change(store, KEY, add("a"), "w")
    store.lost = 3
    record.change(store, KEY, add("b"), "w")
    assert words(store) == ["a", "b"]
    assert record.read(store, KEY).generation == 2


def test_an_unknown_outcome_stays_one_for_a_single_write() -> None:
    """A single write without effect whose answer was lost says so, whatever stands."""
    store = DisturbedStore(lost=1, has_effect=False)
    with pytest.raises(OutcomeUnknown):
        record.write(store, KEY, record.Record({}, None), {"a": 1}, "w")
    first = record.write(store, KEY, record.Record({}, None), {"a": 1}, "w")
    store.lost = 1
    with pytest.raises(OutcomeUnknown):
        record.write(store, KEY, first, {"a": 2}, "w")
    assert record.read(store, KEY) == first


def test_a_store_that_is_away_leaves_it_unknown() -> None:
    """When even reading back fails after a lost answer, what is raised is that nobody knows."""
    store = DisturbedStore(lambda: setattr(store, "away", True), lost=1)
    with pytest.raises(OutcomeUnknown):
        record.write(store, KEY, record.Record({}, None), {"a": 1}, "w")
    store.away = False
    assert record.read(store, KEY).value["a"] == 1


def test_a_version_never_comes_back() -> None:
    """Writing the same words again makes another version, so a writer of the first one is refused."""
    store = RamStore()
    first = record.write(store, KEY, record.Record({}, None), {"a": 1}, "w")
    second = record.write(store, KEY, first, {"a": 2}, "w")
    third = record.write(store, KEY, second, {"a": 1}, "w")
    assert len({first.version, second.version, third.version}) == 3
    with pytest.raises(VersionMismatch):
        record.write(store, KEY, first, {"a": 9}, "w")
    assert record.read(store, KEY) == third


def test_two_first_writers_have_one_winner() -> None:
    """Of two writers who found nothing the second is refused, though both name no version."""
    store = RamStore()
    record.write(store, KEY, record.Record({}, None), {"a": 1}, "one")
    with pytest.raises(VersionMismatch) as raised:
        record.write(store, KEY, record.Record({}, None), {"a": 1}, "two")
    assert isinstance(raised.value.__cause__, AlreadyExists)


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"null", b"\xff{}", b'"text"'])
def test_what_is_no_document_is_damage(body: bytes) -> None:
    """Bytes that are no JSON object are damage that names the key, never an empty document."""
    store = RamStore()
    store.create(KEY, body)
    with pytest.raises(Damaged, match=KEY):
        record.change(store, KEY, add("a"), "w")
    assert store.get(KEY).body == body


def test_the_value_given_is_not_changed(tmp_path: Path) -> None:
    """A change that alters what it was given in place spoils no later try."""
    store = DisturbedStore()
    store.before = [rival(store, "r")]
    seen: list[Json] = []

    def make(value: Json) -> Json:
        seen.append(dict(value))
        value["own"] = True
        return value

    record.change(store, KEY, make, "w")
    assert [v.get("words") for v in seen] == [None, ["r"]]
    assert load_json(store.get(KEY).body)["own"] is True
