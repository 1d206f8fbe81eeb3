"""An older archive put back beside a newer index: the index follows the archive, and is left alone when it may be."""

from pathlib import Path

import pytest

from paramecium.jobs import renewal
from paramecium.jobs.ingest import reconcile
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.lives import Life, messages, objects, small_life

ARCHIVE = "main/archive/"


def _put_back(life: Life, copy: dict[str, bytes]) -> None:
    life.now.forward(hours=2)
    for key in list(life.store.list(ARCHIVE)):
        life.store.delete(key)
    for key, body in copy.items():
        life.store.create(key, body)


def _words(life: Life, text: str) -> list[str]:
    return [p.text for w in life.recall(text, exact=True).windows for p in w.pieces if text in p.text]


def _said(conversation: str, *texts: str) -> list[Entry]:
    """Returns messages whose ids are those of any other message at their place."""
    named = {i: (f"{conversation}-x{i}", t) for i, t in enumerate(texts)}
    return [Entry(i, 0, role="user", speaker="阿月", at="2026-06-20", text=t) for i, t in named.values()]


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Returns a life of some days."""
    return small_life(RamStore(), tmp_path)


@pytest.mark.parametrize("night", [False, True])
def test_an_archive_put_back_and_gone_on_with(life: Life, night: bool) -> None:
    """New words under numbers that were covered are found, words that are gone are not, and verify is content."""
    copy = objects(life.store, ARCHIVE)
    life.say("maobao", *_said("maobao", "后来丢掉的甲", "后来丢掉的乙", "后来丢掉的丙"))
    life.say("gone", *_said("gone", "整段丢掉的话"))
    life.ingest()
    life.fts()
    assert _words(life, "后来丢掉的甲")
    assert _words(life, "整段丢掉的话")
    _put_back(life, copy)
    life.say("maobao", *_said("maobao", "换了的一句", "又换了一句"))
    life.fts() if night else life.ingest()
    life.fts()
    assert _words(life, "换了的一句")
    assert _words(life, "又换了一句")
    assert not _words(life, "后来丢掉的")
    assert not _words(life, "整段丢掉的话")
    assert (life.verify().problems, life.verify().waiting) == ((), 0)


def test_one_ingest_by_arrivals_is_enough(life: Life) -> None:
    """The first ingest after other words took a covered number makes the index anew."""
    copy = objects(life.store, ARCHIVE)
    life.say("maobao", *_said("maobao", "后来丢掉的甲"))
    life.ingest()
    _put_back(life, copy)
    life.say("maobao", *_said("maobao", "换了的一句"))
    assert life.ingest().renewed
    assert _words(life, "换了的一句")
    assert not life.ingest().renewed


def test_the_coverage_ends_within_a_block(life: Life) -> None:
    """A block that reaches over the end of the coverage is proof by itself."""
    copy = objects(life.store, ARCHIVE)
    life.say("maobao", *_said("maobao", "后来丢掉的甲"))
    life.ingest()
    _put_back(life, copy)
    life.archive.append("maobao", _said("maobao", "后来丢掉的甲", "同一块里的新话"), 11)
    assert life.ingest().renewed
    assert _words(life, "同一块里的新话")


@pytest.mark.parametrize("conversation", ["maobao", "mianshi", "shishi"])
def test_the_nightly_listing_finds_what_is_gone(life: Life, conversation: str) -> None:
    """A conversation that ends earlier than the coverage, or is gone, makes the index anew, without any arrival."""
    life.fts()
    names = list(life.store.list(keys.conversation("main", conversation)))
    for key in names if conversation == "shishi" else names[-1:]:
        life.store.delete(key)
    assert reconcile(life.indexer()).renewed
    assert not reconcile(life.indexer()).renewed


def test_a_block_of_many_that_became_shorter_is_found(life: Life) -> None:
    """A last block is read when its number does not tell its end."""
    life.archive.append("lang", messages("lang", 30), 0)
    life.fts()
    assert not reconcile(life.indexer()).renewed
    life.store.delete(keys.block("main", "lang", 0))
    life.archive.append("lang", messages("lang", 20), 0)
    assert reconcile(life.indexer()).renewed


def test_what_is_announced_again_is_compared_and_left(life: Life) -> None:
    """A new arrival of covered, unchanged words costs one GET of their block, once, and makes nothing anew."""
    life.fts()
    life.now.forward(minutes=1)
    for conversation, n in (("maobao", 0), ("maobao", 6), ("banjia", 9), ("banjia", 10), ("mianshi", 8), ("shishi", 3)):
        life.archive.announce(conversation, n)
    watched = WatchedStore(life.store)
    assert not life.ingest(watched).renewed
    read = [key for name, key in watched.calls if name == "get" and "/conversations/" in key]
    assert len(read) == 6
    watched.calls.clear()
    assert not life.ingest(watched).renewed
    assert not [key for name, key in watched.calls if name == "get" and "/conversations/" in key]
    assert not life.fts().unreadable


def test_a_renewal_that_was_begun_before_is_not_gone_on_with(life: Life) -> None:
    """What a killed run made of the archive that is gone is thrown away."""
    life.say("maobao", *_said("maobao", "后来丢掉的甲"))
    copy = objects(life.store, ARCHIVE)
    life.say("maobao", *_said("maobao", "后来丢掉的乙"))
    life.ingest()
    reconcile(renewal.beside(life.indexer()))
    assert keys.next_manifest("main") in objects(life.store)
    _put_back(life, copy)
    life.ingest()
    assert not _words(life, "后来丢掉的乙")
    assert life.verify().problems == ()


def test_the_index_of_an_archive_that_is_gone_is_kept(life: Life) -> None:
    """Where no conversation stands at all, a disk is missing: the words the index still has are not given up."""
    life.fts()
    copy = objects(life.store, ARCHIVE)
    _put_back(life, {})
    assert not life.fts().removed
    assert _words(life, "豆包")
    assert life.verify().archive_problems > 0
    _put_back(life, copy)
    life.fts()
    assert (life.verify().problems, life.verify().waiting) == ((), 0)
