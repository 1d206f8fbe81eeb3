"""An answer's text is told again by its rounds."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.chat.answer import Answer
from paramecium.jobs.answers import told
from paramecium.upstream.base import Finished, TextDelta

PIECES = st.lists(st.lists(st.text(st.characters(exclude_categories=()), max_size=4), max_size=4), max_size=4)


@given(PIECES, st.booleans())
def test_what_a_turn_stores_is_told_again(rounds: Sequence[Sequence[str]], broken: bool) -> None:
    """However a model cuts its words, and whether it comes to its end, text and rounds agree."""
    answer = Answer(lambda _: None)
    for i, pieces in enumerate(rounds):
        for piece in pieces:
            answer.hear(TextDelta(piece))
        if broken and i == len(rounds) - 1:
            answer.break_off()
            break
        blocks = tuple({"type": "text", "text": piece} for piece in pieces)
        answer.hear(Finished(blocks, "end_turn", {}, "m"))
        answer.add_results([])
    assert told(answer.rounds) == answer.text


@pytest.mark.parametrize(
    ("rounds", "text"),
    [
        ([], ""),
        ([{"role": "user", "content": [{"type": "text", "text": "不算"}]}], ""),
        ([{"role": "assistant", "content": "x"}, {"role": "assistant"}, {"content": []}], ""),
        ([{"role": "assistant", "content": [None, {"type": "text"}, {"type": "text", "text": "好"}]}], "好"),
    ],
)
def test_what_is_no_round_of_words_says_nothing(rounds: list[dict[str, object]], text: str) -> None:
    """Only text blocks of the assistant are words of the answer."""
    assert told(rounds) == text
