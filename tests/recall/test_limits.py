"""Limits let through the same messages, whether asked one by one or for the runs of a segment."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from paramecium.index.said import Said
from paramecium.recall.limits import Limits
from tests.index.fakes_life import lives, loaded, said, written

DAYS = st.sampled_from([None, date(2025, 6, 11), date(2025, 6, 12), date(2025, 6, 13)])
NAMES = st.sampled_from([None, "a", "b", "zz"])


@given(lives(), DAYS, DAYS, NAMES, NAMES, st.sampled_from([0, 5, 99]))
def test_runs_of_passages_are_those_of_allowed_messages(
    saids: list[Said],
    after: date | None,
    before: date | None,
    conversation: str | None,
    besides: str | None,
    besides_from: int,
) -> None:
    """The passages of all runs and days are those of the messages that are allowed, each once."""
    segment = loaded(written(saids))
    limits = Limits(after, before, conversation, besides, besides_from)
    found: list[int] = []
    for span in limits.spans(segment):
        of_days = limits.of_days(segment, span)
        found += list(span) if of_days is None else of_days.tolist()
    allowed = [
        passage
        for passage, m in enumerate(segment.message.tolist())
        if limits.allow((segment.conversations[int(segment.conv[m])], int(segment.n[m])), int(segment.day[m]))
    ]
    assert found == allowed


def test_without_days_there_is_no_span() -> None:
    """A span that is open at one end goes on for ever there."""
    assert Limits().days is None
    assert Limits(after=date(2025, 6, 12)).days == (date(2025, 6, 12).toordinal(), date.max.toordinal())
    assert Limits(before=date(2025, 6, 12)).days == (1, date(2025, 6, 12).toordinal())


def test_a_conversation_is_left_out_from_a_number_on() -> None:
    """The number itself is left out, the one before it is not."""
    segment = loaded(written([said(c, n, "好") for c in "ab" for n in range(4)]))
    limits = Limits(besides="a", besides_from=2)
    assert limits.left_out(segment) == range(2, 4)
    assert [p for span in limits.spans(segment) for p in span] == [0, 1, 4, 5, 6, 7]
    assert [n for n in range(4) if limits.allow(("a", n), 1)] == [0, 1]


@given(lives(), st.sets(st.sampled_from(["a", "b", "c"])))
def test_nothing_of_the_dead_is_allowed(saids: list[Said], dead: set[str]) -> None:
    """What is named as dead are all messages of dead conversations, and none of them is allowed."""
    segment = loaded(written(saids))
    limits = Limits(dead=frozenset(dead))
    of = [segment.conversations[c] for c in segment.conv.tolist()]
    assert sorted(limits.dead_messages(segment)) == [m for m, c in enumerate(of) if c in dead]
    assert [limits.allow((c, 0), 1) for c in of] == [c not in dead for c in of]
