"""What a segment tells of its conversations is worked out once and adds up over segments."""

from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.said import Mark, Said
from paramecium.recall.register import Ends, Register, Registers, ends_of, joined
from tests.index.fakes_life import ULID, lives, loaded, said, written


@given(lives(), st.integers(0, 12))
def test_ends_add_up(saids: list[Said], cut: int) -> None:
    """However messages are shared among segments and what is fresh, each conversation has the same ends."""
    whole = Register(loaded(written(saids))).ends
    parts = [*Register(loaded(written(saids[:cut]))).ends.items()]
    assert joined([*parts, *((s.conversation, ends_of(s)) for s in saids[cut:])]) == whole
    for conversation, ends in whole.items():
        of = sorted((s for s in saids if s.conversation == conversation), key=lambda s: s.n)
        assert (ends.messages, ends.first_n, ends.last_n) == (len(of), of[0].n, of[-1].n)
        assert (ends.first_at, ends.last_at) == (of[0].at, of[-1].at)


def test_a_moment_is_one_to_sort_by() -> None:
    """Moments of different offsets compare, one without offset counts as UTC, none or a wrong one is before all."""

    def moment(at: str) -> object:
        return Ends(1, 0, "", "", 0, at).moment

    assert moment("2026-03-01T08:00:00+08:00") == moment("2026-03-01T00:00:00Z") == moment("2026-03-01T00:00:00")
    assert moment("") == moment("昨天") == moment("0001-01-01T00:00:00+08:00")
    assert moment("") < moment("2026-03-01")  # type: ignore[operator]


def test_marks_and_links_are_by_conversation() -> None:
    """A register gives the marks and links of one conversation, and knows which it holds anything of."""
    marks = [Mark("a", 1, "rename", "新"), Mark("m", 0, "star", "true")]
    register = Register(loaded(written([said("a", 0, "你好"), said("b", 0, "早")], marks)))
    assert register.links("a") == [(0, "a-0", None)]
    assert register.links("nobody") == []
    assert register.marks == {"a": marks[:1], "m": marks[1:]}
    assert [register.holds(c) for c in ("a", "b", "m", "nobody")] == [True, True, True, False]


def test_registers_are_kept_while_their_segment_is_live() -> None:
    """The same segment has the same register; what is not asked for any more is forgotten."""
    one, two = (loaded(written([said(c, 0, "你好")]), ULID[:-1] + c) for c in "12")
    registers = Registers()
    first, second = registers.of([one, two])
    assert registers.of([two]) == (second,)
    assert registers.of([one, two]) != (first, second)
