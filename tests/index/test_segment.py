"""A loaded segment answers with the very words, and no file is read that is not the one named."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from paramecium.errors import Damaged, KeyMissing
from paramecium.index.manifest import SegmentName
from paramecium.index.passages import passages
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.index.segment_write import name_segment, to_embed
from paramecium.index.vectors import search
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder
from tests.index.fakes_life import ULID, lives, loaded, said, saids_of, stored, written

TALK = [
    said("c1", 0, "我们周末去看樱花吧。", at="2024-03-30T23:50:00.000+08:00"),
    said("c1", 1, "好呀！" * 200, parent="c1-0"),
    said("c1", 4, "", parent="c1-1"),
    said("c2", 0, "\ud83d\0\u2028 早 "),
]
MARKS = [Mark("c1", 2, "rename", "樱花"), Mark("c9", 0, "star", "true")]


@given(lives())
def test_every_message_comes_back(saids: list[Said]) -> None:
    """Whatever was said, in whatever order it came, each message stands in its place, whole."""
    segment = loaded(written(saids))
    in_order = sorted(saids, key=lambda s: (s.conversation, s.n))
    assert saids_of(segment) == in_order
    assert list(segment.texts()) == [s.text for s in in_order]
    spans = zip(segment.message.tolist(), segment.start.tolist(), segment.end.tolist(), strict=True)
    assert list(spans) == [(m, *span) for m, s in enumerate(in_order) for span in passages(s.text)]


def test_a_message_is_found_by_its_place(tmp_path: Path) -> None:
    """Conversation and number lead to a message, and only to one that is there."""
    segment = stored(written(TALK, MARKS), tmp_path)[2]
    assert [segment.find(s.conversation, s.n) for s in TALK] == [0, 1, 2, 3]
    assert [segment.find(c, n) for c, n in [("c1", 2), ("c1", 5), ("c0", 0), ("c9", 0), ("c1", -1), ("c1", 2**32)]] == [
        None
    ] * 6
    assert segment.messages_of("c1") == range(3)
    assert segment.messages_of("c2") == range(3, 4)
    assert list(segment.messages_of("c9")) == []
    assert segment.ids_of("c1") == [(0, "c1-0", None), (1, "c1-1", "c1-0"), (4, "c1-4", "c1-1")]
    assert [segment.passages_of(m) for m in range(4)] == [range(1), range(1, 3), range(3, 3), range(3, 4)]
    assert (segment.conversations, segment.marks) == (["c1", "c2"], tuple(MARKS))
    assert (segment.ulid, segment.day.tolist(), segment.role.tolist()) == (ULID, [738975, 0, 0, 0], [0, 1, 0, 0])


def test_a_passage_is_found_by_its_vector(tmp_path: Path) -> None:
    """The row nearest to a passage's own dressed text leads to that passage."""
    segment = stored(written(TALK), tmp_path)[2]
    positions, scores = search(segment.rows, HashEmbedder().query(next(to_embed(TALK))), 1)
    p = int(positions[0])
    assert segment.text(int(segment.message[p]))[segment.start[p] : segment.end[p]] == "我们周末去看樱花吧。"
    assert scores[0] > 0.99


@pytest.mark.parametrize("marks", [[], MARKS])
def test_a_segment_without_words_is_one(tmp_path: Path, marks: list[Mark]) -> None:
    """Marks alone, or nothing at all, can be written and read."""
    segment = stored(written([], marks), tmp_path)[2]
    assert (saids_of(segment), segment.marks, segment.rows.shape) == ([], tuple(marks), (0, 64))
    assert segment.find("c1", 0) is None


def test_the_arrays_are_the_file() -> None:
    """Nothing mapped can be written, so no reader changes what another sees."""
    segment = loaded(written(TALK))
    for array in (segment.rows, segment.conv, segment.message):
        assert not array.flags.writeable
        assert array.base is not None


def test_threads_read_the_same_words(tmp_path: Path) -> None:
    """Many threads at once read what one would."""
    saids = [said("c1", n, f"第{n}句。" * 400) for n in range(200)]
    segment = stored(written(saids), tmp_path)[2]
    wanted = [(7 * i) % 200 for i in range(1000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(segment.text, wanted)) == [saids[m].text for m in wanted]


def test_a_segment_that_is_not_there_is_missing(tmp_path: Path) -> None:
    """A name whose objects are gone is an error that names the key."""
    with pytest.raises(KeyMissing, match=ULID):
        Segment.open(RamStore(), name_segment("main", ULID, written(TALK)), tmp_path)


def test_a_foreign_file_is_not_read(tmp_path: Path) -> None:
    """Another segment's file, in itself sound, is refused by its hash, and without it by its counts."""
    store, name, segment = stored(written(TALK), tmp_path)
    other = written(TALK[:2])
    wrong: SegmentName = replace(name, vectors=replace(name.vectors, sha256="0" * 64))
    with pytest.raises(Damaged, match=r"\.vectors: its sha256 is not"):
        Segment.open(store, wrong, tmp_path)
    with pytest.raises(Damaged, match="not of 4 passages"):
        loaded(replace(written(TALK), vectors=other.vectors))
    with pytest.raises(Damaged, match="not of 4 messages"):
        loaded(replace(written(TALK), words=other.words))
    with pytest.raises(Damaged, match="not a file of the kind"):
        loaded(replace(written(TALK), words=other.vectors))
    assert saids_of(segment) == TALK
