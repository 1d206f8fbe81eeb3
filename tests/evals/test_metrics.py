"""Ranks become figures."""

from hypothesis import given
from hypothesis import strategies as st

from evals.metrics import Answered, Score, first_rank, score


def answered(rank: int | None, *, shown: bool = False, tokens: int = 0) -> Answered:
    """Returns how one question fared."""
    return Answered("paraphrase", rank, shown, tokens)


def test_the_first_right_one_counts() -> None:
    """Of two right messages the one that stands first gives the rank."""
    assert first_rank(["早", "茶", "猫"], {"猫", "茶"}) == 2


def test_what_is_not_found_has_no_rank() -> None:
    """A message that is right and not among the ranked ones has no rank; among them it has one."""
    assert first_rank(["早", "茶"], {"茶"}) == 2
    assert first_rank(["早"], {"茶"}) is None


def test_means_over_questions() -> None:
    """Ranks 1, 2, 10 and none give R@1 1/4, R@5 2/4 and MRR (1 + 1/2 + 1/10) / 4; windows and tokens are means too."""
    four = [answered(1, shown=True, tokens=8), answered(2), answered(10), answered(None)]
    assert score(four) == Score(4, 0.25, 0.5, 0.4, 0.25, 2.0)


def test_no_question_scores_nothing() -> None:
    """Without questions every figure is 0."""
    assert score([]) == Score(0, 0, 0, 0, 0, 0)


@given(st.lists(st.none() | st.integers(1, 400)))
def test_figures_are_shares_in_order(ranks: list[int | None]) -> None:
    """Every figure lies in 0..1, R@1 is at most MRR, and R@1 at most R@5."""
    found = score([answered(rank) for rank in ranks])
    assert 0 <= found.r_at_1 <= found.r_at_5 <= 1
    assert found.r_at_1 <= found.mrr + 1e-9 <= 1 + 2e-9
