"""A document becomes one message, whose version has a name of its own."""

import hashlib

import pytest

from paramecium.index.manifest import Manifest, VaultName
from paramecium.jobs.vault import dead_after, name_of, title_mark, wanted
from paramecium.memories.documents import Documents
from paramecium.messages import check_id
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.hand import DIARY, FACT, WORDS, document, vault

VAULT = vault(RamStore())


def test_a_document_is_one_message_of_its_day() -> None:
    """Its words are unchanged, its id is the hash of them, and it was written at the beginning of its day."""
    diary = document(DIARY, WORDS[DIARY])
    said = VAULT.said(diary)
    assert said.text == WORDS[DIARY]
    assert said.id == hashlib.sha256(WORDS[DIARY].encode()).hexdigest()
    assert (said.n, said.parent, said.role, said.speaker) == (0, None, "user", "阿月")
    assert said.at == "2026-06-11T00:00:00.000+08:00"
    assert said.day == 739778
    assert check_id(said.conversation).startswith("vault-")


def test_an_author_is_named_and_a_document_may_be_of_no_day() -> None:
    """What another wrote is theirs; what names no day, or one that is none, has no moment."""
    said = VAULT.said(document(FACT, "外婆写的：少放糖", author="外婆"))
    assert (said.speaker, said.at, said.day) == ("外婆", "", 0)
    assert VAULT.said(document("diary/2026-14-40.md", "错")).at == ""


@pytest.mark.parametrize(
    "other",
    [
        document("diary/2026-06-12.md", "雨"),
        document(DIARY, "雪"),
        document(DIARY, "雨", author="外婆"),
    ],
)
def test_another_path_text_or_author_is_another_version(other: object) -> None:
    """The same document always has the same name, any other one has another."""
    one = document(DIARY, "雨")
    assert name_of(one) == name_of(document(DIARY, "雨"))
    assert name_of(one).conversation != name_of(other).conversation  # type: ignore[arg-type]


def test_the_title_is_the_path_without_its_extension() -> None:
    """A dot in the name stays."""
    assert title_mark("vault-1", DIARY).value == "diary/2026-06-11"
    assert title_mark("vault-1", "facts/茶 v1.2.txt").value == "facts/茶 v1.2"


def test_a_file_that_stands_and_was_not_read_keeps_its_version() -> None:
    """Only what is gone from the store is no longer wanted; when nothing is missing the store is not asked."""
    store = WatchedStore(RamStore())
    store.create(f"main/{FACT}", b"\xff")
    old = {DIARY: VaultName("vault-a", "a" * 64), FACT: VaultName("vault-b", "b" * 64)}
    assert wanted(store, "main", Documents(), Manifest(vault=old)) == {FACT: old[FACT]}
    store.calls.clear()
    diary = document(DIARY, "雨")
    assert wanted(store, "main", Documents(diary=(diary,)), Manifest()) == {DIARY: name_of(diary)}
    assert store.calls == []
    both = Documents(diary=(diary,), facts=(document(FACT, "茶"),))
    assert list(wanted(store, "main", both, Manifest())) == [DIARY, FACT]


def test_what_is_replaced_is_dead_until_it_comes_back() -> None:
    """The dead are all that segments hold and nobody wants."""
    one, two = VaultName("vault-1", "1" * 64), VaultName("vault-2", "2" * 64)
    manifest = Manifest(vault={DIARY: one}, dead=("vault-0",))
    assert dead_after(manifest, {DIARY: two}) == ("vault-0", "vault-1")
    assert dead_after(manifest, {DIARY: VaultName("vault-0", "0" * 64)}) == ("vault-1",)
    assert dead_after(manifest, {}) == ("vault-0", "vault-1")
