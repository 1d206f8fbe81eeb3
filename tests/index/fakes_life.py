"""Small lives for the tests of segments: messages, their vectors by hash, and segments made of them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from paramecium.index.manifest import SegmentName
from paramecium.index.said import Mark, Said, day_of
from paramecium.index.segment import Segment
from paramecium.index.segment_write import SegmentBytes, name_segment, store_segment, to_embed, write_segment
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder

ULID = "01jz0000000000000000000000"
# Every code point, the halves of pairs with them: what a person may have pasted.
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def said(conversation: str, n: int, text: str, *, id_: str = "", parent: str | None = None, at: str = "") -> Said:
    """Returns a message; the person speaks on even numbers."""
    role, speaker = (("user", "小明"), ("assistant", "小草"))[n % 2]
    return Said(conversation, n, id_ or f"{conversation}-{n}", parent, role, speaker, at, day_of(at), text)


def written(saids: Sequence[Said], marks: Sequence[Mark] = (), embedder: HashEmbedder | None = None) -> SegmentBytes:
    """Returns the files of a segment, its vectors by hash."""
    embedder = embedder or HashEmbedder()
    return write_segment(saids, marks, embedder.passages(list(to_embed(saids))), embedder.id, embedder.mean)


def loaded(made: SegmentBytes, ulid: str = ULID) -> Segment:
    """Returns the segment in memory, without a store."""
    vectors, words = (np.frombuffer(body, np.uint8) for body in (made.vectors, made.words))
    return Segment(name_segment("main", ulid, made), vectors, words)


def stored(made: SegmentBytes, folder: Path, ulid: str = ULID) -> tuple[RamStore, SegmentName, Segment]:
    """Returns a store that holds the segment, its name there, and the segment opened from it."""
    store = RamStore()
    name = store_segment(store, "main", ulid, made)
    return store, name, Segment.open(store, name, folder)


def saids_of(segment: Segment) -> list[Said]:
    """Returns all messages of a segment."""
    return [segment.said(m) for m in range(len(segment.n))]


@st.composite
def lives(draw: st.DrawFn) -> list[Said]:
    """Draws messages of a few conversations, in any order, each (conversation, n) once."""
    places = draw(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), unique=True, max_size=12))
    texts = st.one_of(ANY_TEXT, st.builds(lambda text, times: text * times, ANY_TEXT, st.integers(1, 90)))
    moments = st.sampled_from(["", "2025-06-12T23:50:00.000+08:00", "昨天"])
    parents = st.sampled_from([None, "", "a-1", "x-\ud800"])
    return [said(c, n, draw(texts), parent=draw(parents), at=draw(moments)) for c, n in places]
