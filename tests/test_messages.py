"""Entries as values: their JSON, their text, their ids and the path through them."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.errors import BadId, BadInput, Damaged
from paramecium.messages import (
    Entry,
    chain,
    check_id,
    dump_json,
    encodable,
    entry_from,
    entry_to,
    load_json,
    path,
    whole,
)

# A busy machine is no failure: examples are counted, not timed.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = st.text(st.characters()).map(whole)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
ENTRIES = st.builds(
    Entry,
    id=st.from_regex(r"[a-z0-9-]{1,64}\Z"),
    n=st.integers(0, 99_999_999),
    kind=st.sampled_from(["message", "rename", "star", "project", "choose", "tombstone"]),
    parent=st.none() | st.from_regex(r"[a-z0-9-]{1,64}\Z"),
    role=st.sampled_from([None, "user", "assistant", "system"]),
    speaker=TEXTS,
    at=TEXTS,
    text=TEXTS,
    images=st.lists(OBJECTS, max_size=2).map(tuple),
    files=st.lists(OBJECTS, max_size=2).map(tuple),
    head=st.none() | st.just("") | st.just("ab"),
    given=st.none() | OBJECTS,
    rounds=st.lists(OBJECTS, max_size=2).map(tuple),
    usage=st.lists(OBJECTS, max_size=2).map(tuple),
    afterglow=st.lists(st.integers(-127, 127), max_size=4).map(tuple),
    model=TEXTS,
    account=TEXTS,
    status=st.sampled_from([None, "complete", "stopped", "incomplete", "error"]),
    source=OBJECTS,
    more=st.dictionaries(st.sampled_from(["later", "后来"]), VALUES, max_size=2),
)


@CALM
@given(ENTRIES)
def test_an_entry_survives_its_json(entry: Entry) -> None:
    """Whatever an entry holds, it comes back equal from its bytes, and these from it."""
    body = dump_json(entry_to(entry))
    assert entry_from(load_json(body)) == entry
    assert dump_json(entry_to(entry_from(load_json(body)))) == body


@pytest.mark.parametrize(
    "raw",
    [
        [],
        "v",
        7,
        None,
        {"v": 1, "n": 0},
        {"v": 1, "id": "a"},
        {"id": "a", "n": 0},
        {"v": 2, "id": "a", "n": 0},
        {"v": 1, "id": 5, "n": 0},
        {"v": 1, "id": "a", "n": "0"},
        {"v": 1, "id": "a", "n": True},
        {"v": 1, "id": "a", "n": 0, "kind": "vote"},
        {"v": 1, "id": "a", "n": 0, "kind": []},
        {"v": 1, "id": "a", "n": 0, "role": "tool"},
        {"v": 1, "id": "a", "n": 0, "text": None},
        {"v": 1, "id": "a", "n": 0, "parent": 3},
        {"v": 1, "id": "a", "n": 0, "at": 1700000000},
        {"v": 1, "id": "a", "n": 0, "images": "abc"},
        {"v": 1, "id": "a", "n": 0, "rounds": 5},
        {"v": 1, "id": "a", "n": 0, "source": "import"},
    ],
)
def test_what_is_no_entry_is_damaged(raw: Any) -> None:
    """A JSON value that is no entry of version 1 is told as damage, never as a crash."""
    with pytest.raises(Damaged):
        entry_from(raw)


def test_json_bytes_that_are_none() -> None:
    """Broken JSON, bad UTF-8 and endless nesting are bad input."""
    for body in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000):
        with pytest.raises(BadInput):
            load_json(body)


@CALM
@given(st.text(st.characters()))
def test_whole_joins_halves_and_changes_nothing_else(text: str) -> None:
    """Two halves side by side become their character; otherwise every code point stays."""
    assert whole(text).encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    assert whole(whole(text)) == whole(text)


def test_whole_and_encodable_by_example() -> None:
    """Two halves of a cat are a cat; a half without the other is replaced only in the copy that is sent."""
    assert whole("猫\ud83d\udc31\ud83d") == "猫🐱\ud83d"
    assert encodable("猫🐱\ud83d\0") == "猫🐱\ufffd\ufffd"


@pytest.mark.parametrize("value", ["", "A", "a/b", "..", "猫", "a" * 65, "a\n", "a b"])
def test_ids_that_are_not_ours(value: str) -> None:
    """Nothing that is not 1 to 64 of a-z, 0-9 and hyphen passes as an id."""
    with pytest.raises(BadId):
        check_id(value)
    assert check_id("x-0a") == "x-0a"


def _said(name: str, parent: str | None, n: int) -> Entry:
    return Entry(name, n, parent=parent, role="user", text=name)


def test_the_path_is_that_of_the_newest_message_or_of_the_leaf_chosen_after_it() -> None:
    """A sibling that came later is on the path until an older leaf is chosen, and again when the talk goes on there."""
    log = [_said("a", None, 0), _said("b", "a", 1), _said("c", "a", 2)]
    assert [e.id for e in path(log)] == ["a", "c"]
    log.append(Entry("k", 3, "choose", text="b"))
    assert [e.id for e in path(log)] == ["a", "b"]
    log += [Entry("l", 4, "choose", text="nobody"), _said("d", "c", 5)]
    assert [e.id for e in path(log)] == ["a", "c", "d"]


def test_a_tombstone_does_not_cut_the_path() -> None:
    """What was said before a forgotten message stays on the path; the tombstone itself is not on it."""
    log = [_said("a", None, 0), Entry("b", 1, "tombstone", "a"), _said("c", "b", 2)]
    assert [e.id for e in path(log)] == ["a", "c"]


def test_a_chain_ends_at_an_unknown_parent_and_in_a_circle() -> None:
    """Parents that lead nowhere or round about end the chain instead of running for ever."""
    assert chain({"b": "a"}, "b") == ("b",)
    assert chain({"a": "b", "b": "a"}, "b") == ("a", "b")
    assert chain({}, None) == ()
