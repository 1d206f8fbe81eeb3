"""Any sequence of calls on a folder gives what it gives in memory."""

import hashlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from paramecium.errors import ParameciumError
from paramecium.store.base import ObjectStore
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore

KEYS = st.sampled_from(
    ["main/a", "main/a-b", "main/a0", "main/今天/1", "main/今天/2", "main/b/c/d", "main/b/c-d", "z", "a/..", "main//a"]
)
BODIES = st.sampled_from([b"", b"1", b"2", "雨".encode()])
# Versions a writer may hold: of what stands in either body, or of nothing.
VERSIONS = BODIES.map(lambda body: hashlib.sha256(body).hexdigest())
PLACES = st.sampled_from(["", "main", "main/", "main/a", "main/b/", "main/今", "main/今天/", "main/a/", "y", "z", "~"])
CALLS = st.one_of(
    st.tuples(st.just("create"), KEYS, BODIES),
    st.tuples(st.just("replace"), KEYS, BODIES, VERSIONS),
    st.tuples(st.sampled_from(["get", "delete"]), KEYS),
    st.tuples(st.just("get_if_changed"), KEYS, VERSIONS),
    st.tuples(st.just("list"), PLACES, PLACES),
)


def outcome(store: ObjectStore, name: str, *arguments: Any) -> Any:
    """Returns what a call returns, or the type of what it raises."""
    try:
        result = getattr(store, name)(*arguments)
        return list(result) if name == "list" else result
    except ParameciumError as error:
        return type(error)


@settings(max_examples=150, deadline=None)
@given(st.lists(CALLS, max_size=25))
def test_a_folder_is_a_memory(calls: list[tuple[Any, ...]]) -> None:
    """Returns, errors and what stands at the end are the same, whatever was called before."""
    with tempfile.TemporaryDirectory() as folder:
        local, ram = LocalStore(Path(folder)), RamStore()
        for call in calls:
            assert outcome(local, *call) == outcome(ram, *call), call
        keys = list(ram.list(""))
        assert list(local.list("")) == keys
        assert [local.get(key) for key in keys] == [ram.get(key) for key in keys]
        assert list((Path(folder) / ".temp").rglob("*")) == []
