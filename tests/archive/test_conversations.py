"""The archive: entries get their numbers, arrivals follow their blocks, and damage is named."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.archive.conversations import Archive
from paramecium.errors import BadId, BadInput, ConversationMissing, Damaged
from paramecium.messages import Entry, whole
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import FixedClock, WatchedStore

# A busy machine is no failure: examples are counted, not timed.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def said(*texts: str, prefix: str = "m") -> list[Entry]:
    """Returns drafts, each hanging on the one before."""
    names = [f"{prefix}-{i}" for i in range(len(texts))]
    return [Entry(names[i], 0, parent=names[i - 1] if i else None, role="user", text=t) for i, t in enumerate(texts)]


def test_what_is_appended_is_read_in_order() -> None:
    """Two appends are two blocks, and reading gives their entries numbered from 0."""
    archive = Archive(RamStore(), "main")
    first = archive.append("c-1", said("我的猫叫豆包", "真可爱"), 0)
    second = archive.append("c-1", said("它今天病了", prefix="k"), 2)
    assert [e.n for e in first + second] == [0, 1, 2]
    assert archive.read("c-1") == first + second
    assert archive.read("c-1", 2) == second
    assert archive.read("c-1", 3) == ()


def test_each_block_is_followed_at_once_by_its_arrival() -> None:
    """The store sees block, arrival, block, arrival: 1,200 entries are three pairs."""
    store = WatchedStore(RamStore())
    Archive(store, "main", now=FixedClock()).append("c-1", said(*["喵"] * 1200), 0)
    day = keys.arrivals("main", "2026-06-12")
    assert store.calls == [
        pair
        for n in (0, 500, 1000)
        for pair in (("create", keys.block("main", "c-1", n)), ("create", f"{day}154700000-c-1-{n}"))
    ]


def test_an_append_of_nothing_asks_nothing() -> None:
    """No drafts, no store call."""
    store = WatchedStore(RamStore())
    assert Archive(store, "main").append("c-1", [], 0) == ()
    assert store.calls == []


@CALM
@given(st.lists(st.text(st.characters()).map(whole), min_size=1, max_size=4))
def test_any_text_comes_back_character_for_character(texts: list[str]) -> None:
    """Whatever was typed is read as it was typed."""
    archive = Archive(RamStore(), "main")
    archive.append("c-1", said(*texts), 0)
    assert [e.text for e in archive.read("c-1")] == texts


def test_the_texts_that_break_other_archives() -> None:
    """Half emoji, NUL, line separators, CRLF, outer spaces and nothing at all survive."""
    texts = [
        "\ud83d",
        "\udc31\ud83d",
        "a\0b",
        "a\u2028b\u2029c\x85d",
        "🐱👨\u200d👩\u200d👧",
        "\r\n 猫 \r\n",
        "",
        "\\ud83d",
    ]
    archive = Archive(RamStore(), "main")
    archive.append("c-1", said(*texts), 0)
    assert [e.text for e in archive.read("c-1")] == texts


def test_ids_are_checked_before_they_are_part_of_a_key() -> None:
    """A bad conversation, entry or life never reaches the store."""
    store = WatchedStore(RamStore())
    archive = Archive(store, "main")
    for conv in ("", "../x", "A", "a/b", "猫"):
        with pytest.raises(BadId):
            archive.read(conv)
        with pytest.raises(BadId):
            archive.append(conv, said("a"), 0)
        with pytest.raises(BadId):
            archive.announce(conv, 0)
    with pytest.raises(BadId):
        archive.append("c-1", [Entry("M/1", 0)], 0)
    with pytest.raises(BadId):
        Archive(store, "derived")
    assert store.calls == []


def test_two_drafts_with_one_id_are_refused() -> None:
    """An append that would make an id ambiguous stores nothing."""
    store = RamStore()
    with pytest.raises(BadInput):
        Archive(store, "main").append("c-1", [*said("a"), *said("b")], 0)
    assert not list(store.list(""))


def test_a_conversation_that_is_not_there() -> None:
    """Reading or announcing what nobody wrote says so."""
    archive = Archive(RamStore(), "main")
    with pytest.raises(ConversationMissing):
        archive.read("c-1")
    with pytest.raises(ConversationMissing):
        archive.announce("c-1", 0)


def test_damage_names_the_key() -> None:
    """Of several blocks the broken one is named, and a block that is gone as well."""
    store = RamStore()
    archive = Archive(store, "main")
    for i in range(3):
        archive.append("c-1", said("猫", prefix=f"k{i}"), i)
    key = keys.block("main", "c-1", 1)
    body = store.get(key).body
    store.replace(key, b"[{]", store.get(key).version)
    with pytest.raises(Damaged, match=key):
        archive.read("c-1")
    store.delete(key)
    with pytest.raises(Damaged, match=key):
        archive.read("c-1")
    store.create(key, body)
    assert len(archive.read("c-1")) == 3


def test_other_files_in_the_folder_are_passed_over() -> None:
    """A copy that a syncing program left does not make a conversation unreadable."""
    store = RamStore()
    archive = Archive(store, "main")
    archive.append("c-1", said("猫"), 0)
    store.create(keys.conversation("main", "c-1") + "00000000 (1).json", b"?")
    assert len(archive.read("c-1")) == 1
    assert list(archive.heads()) == [("c-1", 0)]


def test_reading_costs_one_list_and_a_get_a_block() -> None:
    """Forty blocks are one LIST and forty GETs; one new block is a LIST and a GET, and so is nothing new."""
    store = WatchedStore(RamStore())
    archive = Archive(store, "main")
    for i in range(40):
        archive.append("c-1", said("猫", prefix=f"k{i}"), i)
    store.calls.clear()
    assert [e.n for e in archive.read("c-1")] == list(range(40))
    assert sorted(name for name, _ in store.calls) == ["get"] * 40 + ["list"]
    for from_n, found in ((39, 1), (40, 0)):
        store.calls.clear()
        assert len(archive.read("c-1", from_n)) == found
        assert [name for name, _ in store.calls] == ["list", "get"]


def test_reading_may_begin_inside_a_block() -> None:
    """From any number on, the entries are those from that number on, wherever the blocks were cut."""
    store = RamStore()
    archive = Archive(store, "main")
    archive.append("c-1", said(*["猫"] * 1100), 0)
    archive.append("c-1", said(*["狗"] * 3, prefix="k"), 1100)
    whole = archive.read("c-1")
    for n in (0, 1, 499, 500, 501, 999, 1000, 1099, 1100, 1101, 1102, 1103, 1104, 5000):
        assert archive.read("c-1", n) == whole[n:]
    assert archive.read("c-1", -3) == whole
    assert archive.read("c-none", 5) == ()
    store.delete(keys.block("main", "c-1", 500))
    for n, missing in ((0, 500), (400, 500), (501, 501), (999, 999)):
        with pytest.raises(Damaged, match=f"{missing:08d}.json: no block"):
            archive.read("c-1", n)
    assert archive.read("c-1", 1000) == whole[1000:]


def test_heads_gives_the_last_block_of_each_conversation_from_one_list() -> None:
    """Conversations whose names begin alike are kept apart."""
    store = WatchedStore(RamStore())
    archive = Archive(store, "main")
    archive.append("a", said(*["猫"] * 501), 0)
    archive.append("a-b", said("狗"), 0)
    Archive(store, "other").append("z", said("鸟"), 0)
    store.calls.clear()
    assert sorted(archive.heads()) == [("a", 500), ("a-b", 0)]
    assert len(store.calls) == 1


def test_arrivals_since_a_moment() -> None:
    """Arrivals at or after the moment come in order of time; older ones and keys that are none do not."""
    store, now = RamStore(), FixedClock()
    archive = Archive(store, "main", now=now)
    for i in range(4):
        archive.append(f"c-{i}", said("猫"), 0)
        now.forward(hours=9)
    store.create(keys.arrivals("main", "2026-06-13") + "999999999-c-9-0", b"")
    store.create(keys.arrivals("main", "2026-06-13") + "what", b"")
    since = datetime(2026, 6, 13, 0, 47, 0, 400, tzinfo=UTC)
    assert [a.conversation for a in archive.arrivals(since)] == ["c-1", "c-2", "c-3"]
    assert [a.conversation for a in archive.arrivals(since + timedelta(milliseconds=1))] == ["c-2", "c-3"]
    assert list(archive.arrivals(now() + timedelta(days=2))) == []


def test_arrivals_are_one_list_however_long_ago() -> None:
    """Two days or two thousand: one LIST finds what arrived since, and nothing older."""
    store, now = WatchedStore(RamStore()), FixedClock()
    archive = Archive(store, "main", now=now)
    now.forward(days=-700)
    archive.append("c-old", said("猫"), 0)
    now.forward(days=350)
    archive.append("c-0", said("猫"), 0)
    now.forward(days=350)
    archive.append("c-1", said("狗"), 0)
    for days, found in ((2, 1), (399, 2), (701, 3), (9000, 3)):
        store.calls.clear()
        assert len(list(archive.arrivals(now() - timedelta(days=days)))) == found
        assert store.calls == [("list", "main/archive/arrivals/")]


def test_announce_names_the_block_that_holds_a_number() -> None:
    """The arrival is written again, now, for the block with that number, or the last one."""
    store, now = RamStore(), FixedClock()
    archive = Archive(store, "main", now=now)
    archive.append("c-1", said(*["猫"] * 600), 0)
    now.forward(days=3)
    for n, block in ((0, 0), (499, 0), (500, 500), (10_000, 500)):
        now.forward(seconds=1)
        archive.announce("c-1", n)
        archive.announce("c-1", n)
        assert [(a.conversation, a.n) for a in archive.arrivals(now())] == [("c-1", block)]
