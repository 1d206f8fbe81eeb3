"""What every store promises of its lists: whole, in the order of UTF-8 bytes, from any place on."""

import pytest

from paramecium.store.base import ObjectStore

KEYS = (
    *("main/A", "main/a/1", "main/a/10", "main/a/2", "main/ab", "main/b/c/d"),
    *("main/z~", "main/ÿ", "main/一", "main/今天/1", "main/今天/2", "main/\uffee", "main/😀", "other/1"),
)
# A folder beside a name that goes on with a character below "/". The test server lists folder by folder and puts
# these in another order than S3 does; ids of one length, which all of ours are, never make such names.
BESIDE_FOLDERS = (
    *("main/a b", "main/a-", "main/a-b/c", "main/a.b", "main/a/b!", "main/a/b/c", "main/a/c", "main/a0", "main/a+/b"),
    *("main/今天/1", "main/今天 1"),
)
OF_EXACT_ORDER = ("ram", "local", "moto")


def fill(store: ObjectStore, keys: tuple[str, ...]) -> list[str]:
    """Creates the keys, last first, and returns them in the order they must come in."""
    for key in reversed(keys):
        store.create(key, b"")
    return sorted(keys, key=str.encode)


def test_keys_come_in_the_order_of_their_bytes(store: ObjectStore) -> None:
    """A list is sorted by UTF-8 bytes, whatever the order of creation."""
    expected = fill(store, KEYS)
    assert list(store.list("")) == expected


def test_a_prefix_is_no_folder(store: ObjectStore) -> None:
    """A prefix may end within a name, name a whole key, or match nothing."""
    expected = fill(store, KEYS)
    for prefix in ("main/", "main/a", "main/a/", "main/a/1", "main/今", "main/今天/", "m", "other/1", "main/b/c"):
        found = [k for k in expected if k.startswith(prefix)]
        assert found
        assert list(store.list(prefix)) == found
    for prefix in ("main/a/1/", "nothing/", "/", "../", ".locks/", ".temp", "main/../", "MAIN/"):
        assert list(store.list(prefix)) == []


def test_a_list_goes_on_behind_any_place(store: ObjectStore) -> None:
    """What comes behind `after` are the greater keys, whether a key stands there or not."""
    expected = fill(store, KEYS)
    for after in (*expected, "", "a", "main/a/", "main/a/11", "main/今", "main/今天/1x", "n", "zzz"):
        for prefix in ("", "main/", "main/a/", "main/今天/"):
            found = [k for k in expected if k.startswith(prefix) and k.encode() > after.encode()]
            assert list(store.list(prefix, after)) == found


@pytest.mark.parametrize("store", OF_EXACT_ORDER, indirect=True)
def test_folders_and_names_mix_in_byte_order(store: ObjectStore) -> None:
    """A folder is sorted as its keys are: "a-b" before "a/b" before "a0"."""
    expected = fill(store, BESIDE_FOLDERS)
    for after in ("", *expected, "main/a/", "main/a-b/", "main/a"):
        assert list(store.list("main/", after)) == [k for k in expected if k.encode() > after.encode()]
    assert list(store.list("main/a-")) == ["main/a-", "main/a-b/c"]


def test_more_keys_than_a_page_holds(store: ObjectStore) -> None:
    """A list of 1,100 keys is whole, and so is the rest of it behind a place in either page."""
    expected = fill(store, tuple(f"main/archive/arrivals/2026-06-12/{n:09d}" for n in range(1100)))
    store.create("main/archive/arrivals/2026-06-13/000000000", b"")
    prefix = "main/archive/arrivals/2026-06-12/"
    assert list(store.list(prefix)) == expected
    assert list(store.list(prefix, expected[4])) == expected[5:]
    assert list(store.list(prefix, expected[1050])) == expected[1051:]
    assert len(list(store.list("main/archive/arrivals/"))) == 1101
