"""What a person does to memories: each deed is one event with who and why, can be taken back, or is refused."""

from collections.abc import Callable

import pytest

from paramecium.errors import Ambiguous, BadId, BadInput, Conflict, MemoryMissing
from paramecium.memories.corrections import Corrections
from paramecium.memories.events import Added, Event, Pinned, Retired, Superseded, What
from paramecium.memories.hand import Deed, Hand, find
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State, fold
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock, Killed, WatchedStore
from tests.memories.event_lists import events_of, note

A, B, C = "m-aaaa1111", "m-aaaa2222", "m-cccc3333"
AT = "2026-06-12T23:47:00.000+08:00"


def hand_of(store: ObjectStore) -> Hand:
    """Returns a fresh hand on a store."""
    return Hand(Ledger(store, "main"), Corrections(store, "main"), "Asia/Shanghai", FixedClock())


@pytest.fixture
def store() -> RamStore:
    """Gives a store with three memories."""
    store = RamStore()
    Ledger(store, "main").append(events_of(*(Added(note(i)) for i in (A, B, C))))
    return store


@pytest.fixture
def hand(store: RamStore) -> Hand:
    """Gives a hand on it."""
    return hand_of(store)


def state_of(hand: Hand) -> State:
    """Returns what all events add up to."""
    return fold(State(), hand.ledger.read())


Do = Callable[[Hand], Deed]
DEEDS: dict[str, tuple[Do, Do, str]] = {
    "pin": (lambda h: h.pin(A, "要紧"), lambda h: h.unpin(A), "pinned"),
    "retire": (lambda h: h.retire(A, "要紧"), lambda h: h.unretire(A), "retired"),
    "supersede": (lambda h: h.supersede(A, B, "要紧"), lambda h: h.revive(A), "superseded"),
    "correct": (lambda h: h.correct(A, "不是这样", "要紧"), lambda h: h.unretire(A), "retired"),
    "validity": (
        lambda h: h.validity(A, "2026-06-01", "2026-06-30", "要紧"),
        lambda h: h.validity(A, "", ""),
        "live",
    ),
}


@pytest.mark.parametrize("name", DEEDS)
def test_a_deed_is_one_event_and_can_be_taken_back(name: str, hand: Hand) -> None:
    """It has who, when and why; done again it is no event; taken back all stands as before."""
    do, back, standing = DEEDS[name]
    before = state_of(hand).memories
    done = do(hand)
    assert (done.state, done.changed) == (standing, True)
    last = hand.ledger.read()[-1]
    assert (last.by, last.why, last.at) == ("person", "要紧", AT)
    assert state_of(hand).memories[A] == done.memory != before[A]
    assert do(hand) == done._replace(changed=False)
    assert len(hand.ledger.read()) == 4
    assert back(hand) == Deed(before[A], "live", changed=True)
    assert back(hand) == Deed(before[A], "live", changed=False)
    assert len(hand.ledger.read()) == 5
    assert state_of(hand).memories == before


def test_a_memory_is_named_by_the_beginning_of_its_id(hand: Hand) -> None:
    """Four characters behind m- are enough where only one begins so; two that do are both shown."""
    assert hand.pin("m-cccc").memory.note.id == C
    assert hand.pin("m-aaaa1").memory.note.id == A
    with pytest.raises(Ambiguous, match=f"m-aaaa may be {A}, {B}$"):
        hand.pin("m-aaaa")
    with pytest.raises(MemoryMissing, match="no memory m-dddd"):
        hand.pin("m-dddd")
    for name in ("m-ccc", "m-", "", "cccc", "M-CCCC", "../x"):
        with pytest.raises(BadId):
            hand.pin(name)
    assert len(hand.ledger.read()) == 5


def test_an_id_that_is_the_beginning_of_another_is_itself() -> None:
    """A whole id is never ambiguous, and of many hits ten are shown."""
    state = fold(State(), events_of(*(Added(note(f"m-aaaa{i}")) for i in ("", *range(12)))))
    assert find(state.memories, "m-aaaa").note.id == "m-aaaa"
    many = {ident: memory for ident, memory in state.memories.items() if ident != "m-aaaa"}
    with pytest.raises(Ambiguous, match=r"m-aaaa0, .* and 2 more"):
        find(many, "m-aaaa")


def test_a_pinned_memory_is_not_superseded(hand: Hand) -> None:
    """It is to be unpinned first."""
    hand.pin(A)
    with pytest.raises(Conflict, match=f"{A} is pinned: unpin it first"):
        hand.supersede(A, B)
    hand.unpin(A)
    assert hand.supersede(A, B).state == "superseded"


def test_what_cannot_supersede_is_refused(hand: Hand) -> None:
    """Itself, one that is retired, a second one, and one it supersedes, near or far: each says what to do first."""
    hand.supersede(A, B)
    hand.supersede(B, C)
    for name, by, words in (
        (A, A, "cannot supersede itself"),
        (A, C, f"superseded already, by {B}: revive it first"),
        (C, A, "which it supersedes itself: revive that first"),
    ):
        with pytest.raises((BadInput, Conflict), match=words):
            hand.supersede(name, by)
    hand.revive(A)
    hand.retire(B)
    with pytest.raises(Conflict, match="is retired and can stand for no other"):
        hand.supersede(A, B)
    with pytest.raises(MemoryMissing):
        hand.supersede(A, "m-dddd")
    assert len(hand.ledger.read()) == 7


@pytest.mark.parametrize(
    ("valid_from", "valid_until"),
    [
        (None, None),
        ("2026-02-30", None),
        (None, "明天"),
        ("20260601", None),
        ("2026-W01-1", None),
        ("2026-06-02", "2026-06-01"),
    ],
)
def test_days_are_checked(valid_from: str | None, valid_until: str | None, hand: Hand) -> None:
    """What is no day, and a beginning behind the end, is refused and writes nothing."""
    with pytest.raises(BadInput):
        hand.validity(A, valid_from, valid_until)
    assert len(hand.ledger.read()) == 3


def test_an_end_that_is_not_named_stays(hand: Hand) -> None:
    """Each end can be set and opened by itself, and is compared with the other."""
    hand.validity(A, "2026-06-01", None)
    assert hand.validity(A, None, "2026-06-01").memory[6:8] == ("2026-06-01", "2026-06-01")
    with pytest.raises(BadInput, match="from 2026-06-02 is behind until 2026-06-01"):
        hand.validity(A, "2026-06-02", None)
    assert hand.validity(A, "", None).memory[6:8] == ("", "2026-06-01")


def test_a_correction_writes_the_fact_first(store: RamStore) -> None:
    """The file stands when its event is written, and the event names it."""
    watched = WatchedStore(store)
    deed = hand_of(watched).correct(A, "是驱虫药", "说错了")
    created = [key for name, key in watched.calls if name == "create"]
    assert created == [f"main/facts/{A}.md", "main/memories/events/00000003.json"]
    assert deed.memory.fact == f"facts/{A}.md"
    assert store.get(created[0]).body == f'---\ncreated: "{AT}"\ncorrects: {A}\n---\n是驱虫药'.encode()


@pytest.mark.parametrize("after", [False, True])
def test_a_correction_that_was_killed_is_finished_by_the_next(after: bool) -> None:
    """Wherever it died: a second run leaves one fact and one event."""
    kills = 0
    for die_at in range(1, 20):
        store = RamStore()
        Ledger(store, "main").append(events_of(Added(note(A))))
        try:
            hand_of(WatchedStore(store, die_at=die_at, after=after)).correct(A, "是驱虫药")
        except Killed:
            kills += 1
        assert hand_of(store).correct(A, "是驱虫药").state == "retired"
        assert list(store.list("main/facts/")) == [f"main/facts/{A}.md"]
        assert len(Ledger(store, "main").read()) == 2
    assert kills == 6


def test_a_correction_is_not_corrected_by_another(hand: Hand, store: RamStore) -> None:
    """Its file is to be edited; taken back, another text may correct the memory, in a file of its own."""
    hand.correct(A, "是驱虫药")
    with pytest.raises(Conflict, match=f"{A} is corrected already by facts/{A}.md: edit that file"):
        hand.correct(A, "是维生素")
    hand.unretire(A)
    assert hand.correct(A, "是维生素").memory.fact == f"facts/{A}-2.md"
    with pytest.raises(BadInput, match="blank"):
        hand.correct(B, " \n")
    assert len(list(store.list("main/facts/"))) == 2


def test_a_retired_memory_can_be_corrected(hand: Hand) -> None:
    """The fact is written and named."""
    hand.retire(A)
    assert hand.correct(A, "是驱虫药").memory.fact == f"facts/{A}.md"


@pytest.mark.parametrize(("meanwhile", "state"), [(Pinned(A), "pinned"), (Retired(A), "retired")])
def test_what_happened_meanwhile_is_told(meanwhile: What, state: str, store: RamStore) -> None:
    """The deed says how the memory stands after all that others wrote, too."""

    class Busy(WatchedStore):
        def create(self, key: str, body: bytes) -> str:
            if not any(name == "create" for name, _ in self.calls):
                Ledger(self.inner, "main").append([Event("e-other", "", "extract", meanwhile)])
            return super().create(key, body)

    hand = Hand(Ledger(Busy(store), "main"), Corrections(store, "main"), "UTC", FixedClock())
    assert hand.supersede(A, B).state == state
    whats = [type(e.what) for e in Ledger(store, "main").read()[3:]]
    assert whats[0] is type(meanwhile)
    assert Superseded in whats


def test_a_damaged_event_keeps_nobody_from_a_deed(store: RamStore, hand: Hand) -> None:
    """What can still be read can still be retired."""
    store.delete(keys.event("main", 1))
    store.create(keys.event("main", 1), b"{")
    assert hand.retire(C).state == "retired"
    assert hand.retire(C).changed is False
    with pytest.raises(MemoryMissing):
        hand.retire(B)
