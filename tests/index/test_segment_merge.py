"""A merge loses nothing, doubles nothing, and is the segment that would have been written at once."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import BadInput
from paramecium.index.said import Mark, Said
from paramecium.index.segment import Segment
from paramecium.index.segment_merge import merge
from paramecium.index.segment_write import to_embed, write_segment
from tests.fakes import HashEmbedder
from tests.index.fakes_life import lives, loaded, said, saids_of, written

MARKS = [Mark("a", 100, "rename", "春天"), Mark("z", 1, "star", "true")]


def parts_of(saids: list[Said], at: list[int]) -> Iterator[list[Said]]:
    """Yields the messages in parts: message i goes to part at[i]."""
    for part in sorted(set(at)) or [0]:
        yield [s for s, p in zip(saids, at, strict=False) if p == part]


@given(lives(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_a_merge_is_the_segment_of_all(saids: list[Said], at: list[int]) -> None:
    """However messages were spread over parts, the merge of the parts has the bytes of the whole."""
    parts = list(parts_of(saids, at))
    segments = [loaded(written(part, MARKS[i % 2 :])) for i, part in enumerate(parts)]
    assert merge(segments) == written(saids, MARKS)


@given(lives(), st.lists(st.integers(0, 3), min_size=12, max_size=12), st.randoms(use_true_random=False))
def test_any_order_of_merges_gives_the_same(saids: list[Said], at: list[int], chance: object) -> None:
    """After any sequence of writes and merges every message stands once, with its words and its rows."""
    live = [loaded(written(part)) for part in parts_of(saids, at)]
    while len(live) > 1:
        live.sort(key=lambda s: (len(s.n) * 7919) % 5)
        live = [*live[2:], loaded(merge(live[:2]))]
    assert merge(live) == written(saids)
    assert rows_by_text(live) == rows_by_text([loaded(written(saids))])
    assert saids_of(live[0]) == sorted(saids, key=lambda s: (s.conversation, s.n))


def rows_by_text(segments: list[Segment]) -> dict[str, list[int]]:
    """Returns the row of each passage's text."""
    out: dict[str, list[int]] = {}
    for segment in segments:
        spans = zip(segment.message.tolist(), segment.start.tolist(), segment.end.tolist(), segment.rows, strict=True)
        out |= {segment.text(m)[start:end]: row.tolist() for m, start, end, row in spans}
    return out


def test_a_message_in_two_parts_is_kept_once() -> None:
    """Of a message ingested twice one copy remains, with one row a passage; marks are kept once too."""
    saids = [said("a", n, f"第{n}句。" * 100) for n in range(6)]
    first, second = loaded(written(saids[:4], MARKS)), loaded(written(saids[2:], MARKS))
    merged = loaded(merge([first, second]))
    whole = loaded(written(saids, MARKS))
    assert saids_of(merged) == saids
    assert merged.rows.tolist() == whole.rows.tolist()
    assert merged.marks == whole.marks == tuple(MARKS)
    assert merged.counted == first.counted + second.counted
    assert np.abs(merged.total / merged.counted - whole.total / whole.counted).max() < 2**24


def test_nothing_is_embedded_again() -> None:
    """A merge copies rows: the embedder hears of each passage once."""
    embedder = HashEmbedder()
    saids = [said("a", n, f"第{n}句。") for n in range(4)]
    merged = merge([loaded(written(saids[:2], (), embedder)), loaded(written(saids[2:], (), embedder))])
    assert merged.passages == len(embedder.embedded) == 4


def test_the_earlier_part_is_kept() -> None:
    """Should two parts disagree on a message, the one named first stands."""
    first, second = loaded(written([said("a", 0, "原话")])), loaded(written([said("a", 0, "别的")]))
    assert loaded(merge([first, second])).text(0) == "原话"
    assert loaded(merge([second, first])).text(0) == "别的"


def test_models_are_not_mixed() -> None:
    """Segments of two models, or of two means, or none at all, cannot become one."""
    saids = [said("a", 0, "早。")]
    vectors, mean = HashEmbedder().passages(list(to_embed(saids))), np.zeros(64, np.float32)
    segments = [
        loaded(write_segment(saids, [], vectors, *kind)) for kind in (("m", mean), ("n", mean), ("m", mean + 1))
    ]
    assert merge([segments[0], segments[0]]).passages == 1
    for mixed in ([], segments[:2], [segments[0], segments[2]]):
        with pytest.raises(BadInput, match="cannot be merged"):
            merge(mixed)


@given(lives(), st.lists(st.integers(0, 2), min_size=12, max_size=12), st.sets(st.sampled_from(["a", "b", "c"])))
def test_a_merge_can_leave_conversations_out(saids: list[Said], at: list[int], without: set[str]) -> None:
    """What is left has the words, rows and marks it had; of what is left out only the sum for the mean remains."""
    live = [loaded(written(part, MARKS[:1])) for part in parts_of(saids, at)]
    merged = loaded(merge(live, without))
    kept = [s for s in saids if s.conversation not in without]
    alone = loaded(written(kept, [m for m in MARKS[:1] if m.conversation not in without]))
    assert saids_of(merged) == saids_of(alone)
    assert (merged.marks, merged.conversations) == (alone.marks, alone.conversations)
    assert rows_by_text([merged]) == rows_by_text([alone])
    assert merged.counted == loaded(merge(live)).counted
