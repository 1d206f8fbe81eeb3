"""Texts under their hashes: kept once, given back character for character."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.archive.conversations import Archive
from paramecium.archive.files import get_text, put_text
from paramecium.errors import Damaged, KeyMissing
from paramecium.store import keys
from paramecium.store.ram import RamStore


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_comes_back(text: str) -> None:
    """Half emoji, NUL, every line end: what was kept twice stands once and is what it was."""
    store = RamStore()
    sha256 = put_text(store, "main", text)
    assert put_text(store, "main", text) == sha256
    assert list(store.list("")) == [keys.file("main", sha256)]
    assert get_text(store, "main", sha256) == Archive(store, "main").file(sha256) == text


def test_the_name_is_the_hash_of_the_bytes() -> None:
    """It is the sha256 of the text's UTF-8."""
    assert put_text(RamStore(), "main", "雨\r\n") == hashlib.sha256("雨\r\n".encode()).hexdigest()


def test_what_is_not_what_its_name_says_is_refused() -> None:
    """Other bytes, bytes that are no text, a name that is no hash, and nothing at all."""
    store = RamStore()
    sha256 = put_text(store, "main", "雨")
    store.replace(keys.file("main", sha256), b"other", store.get(keys.file("main", sha256)).version)
    no_text = hashlib.sha256(b"\xff").hexdigest()
    store.create(keys.file("main", no_text), b"\xff")
    for wrong in (sha256, no_text, "../../secret", "AB" * 32):
        with pytest.raises(Damaged):
            get_text(store, "main", wrong)
    with pytest.raises(KeyMissing):
        get_text(store, "main", "0" * 64)
