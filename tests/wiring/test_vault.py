"""The documents of one life as the house puts them together: read, indexed, found, kept."""

from pathlib import Path

import pytest

from paramecium.index.manifest import read_manifest
from paramecium.memories.document_reader import DOCUMENTS_MAX
from paramecium.memories.good_documents import read_good
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.store.ram import RamStore
from paramecium.wiring.parts import Parts
from tests.fakes import HashEmbedder

DIARY = "---\ndate: 2026-06-11\nauthor: 外婆\n---\n今天在湖边走了很久，\r\n水面上有两只䴙䴘。\n"


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    """Returns the parts of a house in memory."""
    return Parts(Settings(), RamStore(), embedder=HashEmbedder(), cache_folder=tmp_path)


def test_a_document_is_found_word_for_word_with_its_day_and_author(parts: Parts) -> None:
    """What stands behind the front matter is found; the front matter is not."""
    parts.store.create("main/diary/随笔.md", DIARY.encode())
    life = parts.of("main")
    assert life.ingest().documents == 1
    (window,) = parts.search("main", {"query": "䴙䴘", "exact": True})["windows"]
    assert (window["title"], window["date"]) == ("diary/随笔", "2026-06-11")
    assert window["text"] == "今天在湖边走了很久，\r\n水面上有两只䴙䴘。\n"
    answer = life.recall.answer({"query": "䴙䴘", "exact": True})
    assert "外婆 (2026-06-11 00:00): " in answer.text
    assert parts.search("main", {"query": "author", "exact": True})["windows"] == []
    assert set(read_good(parts.store, "main")) == {"diary/随笔.md"}
    assert life.verify().problems == ()


def test_a_bad_file_keeps_its_words_through_a_new_index(parts: Parts, tmp_path: Path) -> None:
    """A process that starts afresh, and even makes the index anew, finds the last good text."""
    key = "main/diary/随笔.md"
    version = parts.store.create(key, DIARY.encode())
    parts.of("main").ingest()
    parts.store.replace(key, b"\xff\xfe", version)
    fresh = Parts(Settings(), parts.store, embedder=HashEmbedder(), cache_folder=tmp_path / "fresh")
    fresh.of("main").ingest()
    assert fresh.search("main", {"query": "䴙䴘", "exact": True})["windows"]
    fresh.of("main").rebuild()
    assert fresh.search("main", {"query": "䴙䴘", "exact": True})["windows"]
    assert fresh.of("main").verify().problems == ()


def test_more_documents_than_a_turn_reads_are_in_the_index(parts: Parts) -> None:
    """The oldest diary entry is found as well as the newest, and an edit of it is seen."""
    count = DOCUMENTS_MAX + 40
    for i in range(count):
        parts.store.create(
            f"main/diary/{2000 + i // 336}-{1 + i // 28 % 12:02d}-{1 + i % 28:02d}.md", f"第{i}天".encode()
        )
    life = parts.of("main")
    assert life.ingest().documents == count
    assert parts.search("main", {"query": "第0天", "exact": True})["windows"]
    first = "main/diary/2000-01-01.md"
    parts.store.replace(first, "重写的一天".encode(), parts.store.get(first).version)
    assert life.ingest().documents == 1
    assert parts.search("main", {"query": "第0天", "exact": True})["windows"] == []
    assert len(read_manifest(parts.store, keys.manifest("main")).manifest.vault) == count
