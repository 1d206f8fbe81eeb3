"""Heads under the hash of their JSON."""

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paramecium.archive.heads import get_head, put_head
from paramecium.errors import BadId, Damaged, KeyMissing
from paramecium.messages import Json, dump_json, whole
from paramecium.store import keys
from paramecium.store.ram import RamStore

# A busy machine is no failure: examples are counted, not timed.
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

HEAD: Json = {"system": [{"type": "text", "text": "你叫小草。"}], "tools": [{"name": "recall"}]}


def test_a_head_is_stored_once_under_its_hash() -> None:
    """The same head twice is one object, and its name is the hash of its JSON."""
    store = RamStore()
    sha256 = put_head(store, "main", HEAD)
    assert sha256 == put_head(store, "main", dict(HEAD)) == hashlib.sha256(dump_json(HEAD)).hexdigest()
    assert len(list(store.list(""))) == 1
    assert get_head(store, "main", sha256) == HEAD


@CALM
@given(st.dictionaries(st.text(), st.text(st.characters()).map(whole), max_size=4))
def test_a_head_comes_back_in_the_same_bytes(head: Json) -> None:
    """Keys keep their order and texts their characters, so what is sent again has the same bytes."""
    store = RamStore()
    assert dump_json(get_head(store, "main", put_head(store, "main", head))) == dump_json(head)


def test_a_changed_head_is_damage() -> None:
    """A head whose bytes no longer have its hash is not used."""
    store = RamStore()
    sha256 = put_head(store, "main", HEAD)
    key = keys.head("main", sha256)
    store.replace(key, b"{}", store.get(key).version)
    with pytest.raises(Damaged, match=key):
        get_head(store, "main", sha256)


def test_a_head_that_is_not_there_and_a_name_that_is_none() -> None:
    """A missing head is missing; what is no hash never becomes a key."""
    with pytest.raises(KeyMissing):
        get_head(RamStore(), "main", "0" * 64)
    for name in ("", "../x", "0" * 63, "0" * 64 + "\n", "G" * 64):
        with pytest.raises(BadId):
            get_head(RamStore(), "main", name)
