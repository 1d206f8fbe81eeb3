"""A segment's bytes follow from what was said alone, and a file written by an earlier version is still read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import AlreadyExists, BadInput
from paramecium.index.passages import VERSION as PASSAGES_VERSION
from paramecium.index.passages import passages
from paramecium.index.said import Mark, Said
from paramecium.index.segment_write import TOTAL_SCALE, SegmentBytes, dressed, store_segment, to_embed, write_segment
from paramecium.index.vectors import quantise
from paramecium.messages import load_json
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder
from tests.index.fakes_life import ULID, lives, loaded, said, saids_of, written

GOLDEN = Path(__file__).parents[1] / "formats" / "segment"
TALK = [said("c1", 0, "早上好。"), said("c1", 1, "早！" * 300), said("c2", 0, "晚安。")]


def _golden() -> tuple[SegmentBytes, dict[str, Any]]:
    wanted = load_json((GOLDEN / "v1.json").read_bytes())
    vectors, words = ((GOLDEN / f"v1.{part}").read_bytes() for part in ("vectors", "words"))
    return SegmentBytes(vectors, words, wanted["passages"], len(wanted["saids"])), wanted


def test_version_1_is_read() -> None:
    """The golden file gives every message, mark, passage and row it was made of."""
    made, wanted = _golden()
    segment = loaded(made)
    assert saids_of(segment) == [Said(**s) for s in wanted["saids"]]
    assert segment.marks == tuple(Mark(**m) for m in wanted["marks"])
    spans = zip(segment.message.tolist(), segment.start.tolist(), segment.end.tolist(), strict=True)
    assert [list(span) for span in spans] == wanted["spans"]
    assert segment.rows.tolist() == wanted["rows"]
    assert (segment.model, segment.total.tolist(), segment.counted) == ("model/1", wanted["total"], wanted["passages"])
    assert segment.mean.tolist() == wanted["mean"]


def test_version_1_is_written() -> None:
    """What the golden file was made of makes it again; only zlib may pack a block differently."""
    golden_bytes, wanted = _golden()
    vectors, mean = np.array(wanted["vectors"], np.float32), np.array(wanted["mean"], np.float32)
    made = write_segment(
        [Said(**s) for s in wanted["saids"]], [Mark(**m) for m in wanted["marks"]], vectors, "model/1", mean
    )
    assert made.vectors == golden_bytes.vectors
    assert saids_of(loaded(made)) == saids_of(loaded(golden_bytes))
    assert (made.passages, made.messages) == (golden_bytes.passages, golden_bytes.messages)


@given(lives(), st.randoms(use_true_random=False))
def test_order_does_not_matter(saids: list[Said], chance: Any) -> None:
    """Messages in any order, and some of them twice, make the same bytes."""
    shuffled = [*saids, *saids[:3]]
    chance.shuffle(shuffled)
    assert written(shuffled) == written(saids)


def test_rows_are_vectors_without_the_mean() -> None:
    """Each row is its passage's vector less the shipped mean; the total is over the raw vectors."""
    vectors = HashEmbedder().passages(list(to_embed(TALK)))
    mean = np.linspace(-0.1, 0.1, 64, dtype=np.float32)
    segment = loaded(write_segment(TALK, [], vectors, "m", mean))
    assert segment.rows.tolist() == quantise(vectors - mean).tolist()
    assert segment.mean.tolist() == mean.tolist()
    assert segment.total.tolist() == np.rint(vectors.astype(float) * TOTAL_SCALE).sum(axis=0).tolist()
    assert (segment.counted, segment.passages_version) == (len(vectors), PASSAGES_VERSION)
    assert len(vectors) == 4


def test_every_passage_is_embedded_in_order() -> None:
    """The texts to embed are the passages', each after its speaker; without the names they join to the messages."""
    bare = [replace(s, speaker="") for s in TALK]
    assert "".join(to_embed(bare)) == "".join(s.text for s in TALK)
    assert list(to_embed(TALK)) == [dressed(s, *span) for s in TALK for span in passages(s.text)]
    assert dressed(said("c", 0, "晚安。"), 0, 3) == f"{said('c', 0, '').speaker}: 晚安。"
    assert dressed(replace(said("c", 0, "晚安。"), speaker=""), 0, 3) == "晚安。"
    assert list(to_embed([said("c", 0, "")])) == []


@pytest.mark.parametrize("shape", [(3, 64), (5, 64), (4, 63), (0, 64)])
def test_vectors_must_be_one_a_passage(shape: tuple[int, int]) -> None:
    """Another count of vectors, or of numbers in them, is refused; the right one is taken."""
    mean = np.zeros(64, np.float32)
    assert write_segment(TALK, [], np.ones((4, 64), np.float32), "m", mean).passages == 4
    with pytest.raises(BadInput, match="4 passages of 64"):
        write_segment(TALK, [], np.ones(shape, np.float32), "m", mean)


def test_a_vector_that_is_none_is_refused() -> None:
    """A number that is not finite never reaches a file."""
    vectors = np.ones((4, 64), np.float32)
    vectors[2, 5] = np.nan
    with pytest.raises(BadInput, match="not finite"):
        write_segment(TALK, [], vectors, "m", np.zeros(64, np.float32))


def test_a_large_segment_stays_within_its_room() -> None:
    """300,000 passages of as many messages need no more than 49 bytes each beside their rows of 384."""
    saids = [said("c1", n, "好") for n in range(3000)]
    made = write_segment(saids, [], np.ones((3000, 384), np.float32), "m", np.zeros(384, np.float32))
    assert len(made.vectors) <= 3000 * (384 + 13) + 12_000
    assert 300_000 * (384 + 13) + 12_000 < 130_000_000


def test_a_stored_segment_is_never_written_over() -> None:
    """Both objects are created once; the name carries their hashes and sizes."""
    store, made = RamStore(), written(TALK)
    name = store_segment(store, "main", ULID, made)
    assert (name.vectors.bytes, name.words.bytes) == (len(made.vectors), len(made.words))
    assert store.get(name.words.key).body == made.words
    assert (name.passages, name.messages) == (4, 3)
    with pytest.raises(AlreadyExists):
        store_segment(store, "main", ULID, written(TALK[:1]))


def test_the_header_is_plain_json() -> None:
    """Whoever looks into a file with any tool can read its header."""
    made = written(TALK, [Mark("c1", 9, "rename", "早安")])
    length = int.from_bytes(made.words[12:16], "little")
    header = json.loads(made.words[16 : 16 + length])
    assert header["conversations"] == ["c1", "c2"]
    assert header["marks"] == [["c1", 9, "rename", "早安"]]
