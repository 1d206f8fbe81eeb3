"""The made-up life is the same each time, and shaped like one."""

import pytest

from evals.bench import synthetic
from paramecium.index.passages import passages


def test_the_same_seed_says_the_same() -> None:
    """Two lives of one size are equal; another seed gives other words."""
    first, again = (list(synthetic.saids(300, 100)) for _ in range(2))
    assert first == again
    assert synthetic.Vocabulary(1).texts(5) != synthetic.Vocabulary(2).texts(5)


def test_batches_end_where_a_conversation_ends() -> None:
    """Of 250 messages in batches of about 120, each batch begins a conversation and all are there once."""
    batches = list(synthetic.saids(250, 120))
    assert [len(batch) for batch in batches] == [100, 100, 50]
    assert [batch[0].n for batch in batches] == [0, 0, 0]
    assert len({(said.conversation, said.n) for batch in batches for said in batch}) == 250


def test_a_message_is_one_passage() -> None:
    """Every text makes exactly one passage, and days run over five years."""
    saids = [said for batch in synthetic.saids(2000, 500) for said in batch]
    assert {len(passages(said.text)) for said in saids} == {1}
    assert saids[-1].day - saids[0].day == pytest.approx(synthetic.DAYS, abs=2)


def test_vectors_are_of_length_one() -> None:
    """Rows have the model's dimensions and length 1, and stand under the model's name."""
    import numpy as np

    embedder = synthetic.embedder()
    rows = embedder.passages(["一", "二"])
    assert rows.shape == (2, embedder.dims)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert not np.array_equal(rows[0], rows[1])
