"""Flipped bits and cut files: always found by hash, and harmless even to a reader that passes the hash by."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from paramecium.errors import Damaged, StoreUnavailable
from paramecium.index.manifest import SegmentName
from paramecium.index.said import Mark
from paramecium.index.segment import Segment
from paramecium.index.segment_write import SegmentBytes, name_segment
from paramecium.index.vectors import search
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder
from tests.index.fakes_life import ULID, loaded, said, stored, written

SAIDS = [said(f"c{n % 7}", n, f"第{n}天，我们说了很多话。" * (1 + n % 40)) for n in range(120)]
MADE = written(SAIDS, [Mark("c1", 500, "rename", "春天")])
NAME = name_segment("main", ULID, MADE)
FLIPS, CUTS = 60, 22


def damaged(body: bytes, seed: int) -> Iterator[bytes]:
    """Yields copies with one bit or byte changed (half of them among the first 1,024), and copies cut short."""
    chance = random.Random(seed)
    for i in range(FLIPS):
        copy = bytearray(body)
        copy[chance.randrange(len(body) if i % 2 else 1024)] ^= chance.choice([1 << chance.randrange(8), 255])
        yield bytes(copy)
    yield from (body[: i * len(body) // CUTS] for i in range(CUTS))


def read_all(segment: Segment) -> None:
    """Calls everything a segment offers."""
    positions, _ = search(segment.rows, HashEmbedder().query("春天"), 10)
    for p in positions.tolist():
        m = int(segment.message[p])
        assert isinstance(segment.text(m)[segment.start[p] : segment.end[p]], str)
    for conversation in segment.conversations:
        for m in segment.messages_of(conversation):
            segment.said(m)
            segment.passages_of(m)
            segment.find(conversation, int(segment.n[m]))
        segment.ids_of(conversation)
    assert sum(1 for _ in segment.texts()) == len(segment.n)


def _with_part(part: str, body: bytes) -> SegmentBytes:
    parts = {"vectors": MADE.vectors, "words": MADE.words} | {part: body}
    return SegmentBytes(**parts, passages=MADE.passages, messages=MADE.messages)


def _store_of(made: SegmentBytes, name: SegmentName) -> RamStore:
    store = RamStore()
    store.create(name.vectors.key, made.vectors)
    store.create(name.words.key, made.words)
    return store


def test_the_undamaged_segment_is_read(tmp_path: Path) -> None:
    """What the other tests damage can be read as it is."""
    read_all(Segment.open(_store_of(MADE, NAME), NAME, tmp_path))


@pytest.mark.parametrize("part", ["vectors", "words"])
def test_all_damage_is_found_by_hash(part: str, tmp_path: Path) -> None:
    """Every flip and every cut raises Damaged naming the object's key; the bad download is gone afterwards."""
    found = 0
    for i, body in enumerate(damaged(getattr(MADE, part), seed=1)):
        folder = tmp_path / str(i)
        with pytest.raises(Damaged, match=rf"segments/{ULID}\.{part}: "):
            Segment.open(_store_of(_with_part(part, body), NAME), NAME, folder)
        found += 1
        assert [path for path in folder.iterdir() if path.read_bytes() == body] == []
    assert found == FLIPS + CUTS


@pytest.mark.parametrize("part", ["vectors", "words"])
@pytest.mark.parametrize("seed", range(5))
def test_damage_behind_the_hash_hurts_nobody(part: str, seed: int) -> None:
    """Parsed without the hash check, a damaged file gives wrong values or Damaged, and no other error."""
    for body in damaged(getattr(MADE, part), seed):
        with suppress(Damaged):
            read_all(loaded(_with_part(part, body)))


def test_an_empty_download_is_damage(tmp_path: Path) -> None:
    """A file of no bytes, which cannot even be mapped, is found like any other."""
    store, name, _ = stored(MADE, tmp_path)
    store.fetch(name.vectors.key, tmp_path).write_bytes(b"")
    with pytest.raises(Damaged, match="vectors"):
        Segment.open(store, name, tmp_path)


def test_a_file_that_vanished_is_said(tmp_path: Path) -> None:
    """A local copy that went away between the fetch and the look is an error to try again after."""
    store = _Vanishing()
    store.create(NAME.vectors.key, MADE.vectors)
    with pytest.raises(StoreUnavailable, match=r"vectors: its local file"):
        Segment.open(store, NAME, tmp_path)


def test_a_damaged_download_is_fetched_anew(tmp_path: Path) -> None:
    """After the damage was found the next try downloads again, and reads the sound object."""
    store, name, _ = stored(MADE, tmp_path)
    path = store.fetch(name.words.key, tmp_path)
    path.write_bytes(MADE.words[:-1])
    with pytest.raises(Damaged, match="words"):
        Segment.open(store, name, tmp_path)
    read_all(Segment.open(store, name, tmp_path))


class _Vanishing(RamStore):
    """Names files that somebody else removed."""

    def fetch(self, key: str, folder: Path) -> Path:
        path = super().fetch(key, folder)
        path.unlink()
        return path


class _OwnFiles(RamStore):
    """Hands out files of its own folder, as a local store does."""

    def __init__(self, own: Path) -> None:
        super().__init__()
        self._own = own

    def fetch(self, key: str, folder: Path) -> Path:
        return super().fetch(key, self._own)


def test_a_local_stores_own_file_is_left_alone(tmp_path: Path) -> None:
    """Only a download is removed: a damaged object of a local store stays where it is, to be looked at."""
    store = _OwnFiles(tmp_path / "store")
    store.create(NAME.vectors.key, MADE.vectors[:-1])
    store.create(NAME.words.key, MADE.words)
    with pytest.raises(Damaged, match="vectors"):
        Segment.open(store, NAME, tmp_path / "cache")
    assert store.fetch(NAME.vectors.key, tmp_path).read_bytes() == MADE.vectors[:-1]
