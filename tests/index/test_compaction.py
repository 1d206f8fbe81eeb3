"""Few segments are live at any time, and a row is rewritten few times in its life."""

import math
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.compaction import GROWN_PASSAGES_MAX, LIVE_MAX, grows, plan
from paramecium.index.manifest import ObjectName, SegmentName


def _named(number: int, passages: int) -> SegmentName:
    file = ObjectName(f"derived/main/index/segments/{number}", "0" * 64, 1)
    return SegmentName(str(number), file, file, passages, passages)


class Life:
    """Ingests runs as the jobs do, and counts the rows that are written again."""

    def __init__(self) -> None:
        self.live: list[SegmentName] = []
        self.grown_rows = self.merged_rows = self.made = 0

    def ingest(self, passages: int) -> None:
        last = self.live[-1] if self.live else None
        if last is not None and grows(last, passages):
            self.live.remove(last)
            self.grown_rows += last.passages
            passages += last.passages
        self._add(passages)
        merged = plan(self.live)
        if merged:
            self.live = [s for s in self.live if s not in merged]
            self.merged_rows += sum(s.passages for s in merged)
            self._add(sum(s.passages for s in merged))

    def _add(self, passages: int) -> None:
        self.made += 1
        self.live.append(_named(self.made, passages))


def _runs(total: int, largest: int, seed: int) -> Iterator[int]:
    chance = random.Random(seed)
    while total > 0:
        run = min(total, chance.randint(1, largest))
        total -= run
        yield run


@pytest.mark.parametrize("largest", [3, 300, 5000])
@pytest.mark.parametrize("total", [30_000, 300_000])
def test_a_long_life_is_rewritten_few_times(total: int, largest: int) -> None:
    """Over runs of 1 to 5,000 passages at most 12 segments are live after each, and a row moves O(log n) times."""
    life = Life()
    for run in _runs(total, largest, seed=largest):
        life.ingest(run)
        assert len(life.live) <= LIVE_MAX
    assert sum(s.passages for s in life.live) == total
    assert life.merged_rows <= 1.5 * total * math.log2(total / GROWN_PASSAGES_MAX)


@given(st.lists(st.integers(0, 10**6), max_size=40))
def test_a_plan_leaves_at_most_twelve(sizes: list[int]) -> None:
    """Whatever the sizes, at least two are merged, no more than 12 remain, and with 12 nothing is done."""
    names = [_named(i, size) for i, size in enumerate(sizes)]
    merged = plan(names)
    if len(names) <= LIVE_MAX:
        assert merged is None
        return
    assert merged is not None
    assert len(merged) >= 2
    assert len(names) - len(merged) + 1 <= LIVE_MAX
    assert list(merged) == [s for s in names if s in merged]


@given(st.lists(st.integers(1, 10**6), min_size=13, max_size=20))
def test_the_base_moves_only_for_a_quarter(sizes: list[int]) -> None:
    """The largest segment is rewritten only when all the others hold more than a quarter of it."""
    names = [_named(i, size) for i, size in enumerate(sizes)]
    base = max(names, key=lambda s: (s.passages, int(s.ulid)))
    if base in (plan(names) or ()):
        assert sum(sizes) - base.passages > base.passages / 4


def test_the_smaller_ones_are_merged_first() -> None:
    """A large base and a middle one stay as they are while twelve small ones become one."""
    names = [_named(0, 300_000), _named(1, 60_000), *(_named(i, 2_000) for i in range(2, 14))]
    assert plan(names) == tuple(names[2:])
    assert plan([_named(0, 90_000), *names[2:]]) == (_named(0, 90_000), *names[2:])


def test_the_newest_segment_grows_to_two_thousand() -> None:
    """New passages join the newest segment while both together are no more than 2,000."""
    assert grows(_named(0, 1_500), 500)
    assert not grows(_named(0, 1_500), 501)
    assert not grows(None, 1)
