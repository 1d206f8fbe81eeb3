"""Exact search gives what a plain calculation gives, and refuses what no library should be given."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from paramecium.errors import BadInput
from paramecium.index.vectors import quantise, search, search_rows


def _random_vectors(seed: int, rows: int, dims: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, dims)).astype(np.float32)


def _plain_cosines(rows: NDArray[np.int8], query: NDArray[np.float32]) -> NDArray[np.float64]:
    left, right = rows.astype(float), quantise(query).astype(float)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right)
    return np.asarray(np.divide(left @ right, norms, out=np.zeros(len(rows)), where=norms > 0))


@given(st.integers(0, 999), st.integers(1, 300), st.sampled_from([1, 3, 64, 384]), st.integers(1, 400))
def test_search_equals_a_plain_calculation(seed: int, count: int, dims: int, k: int) -> None:
    """The scores are those of the k nearest rows, in falling order, each the cosine of the row it names."""
    rows, query = quantise(_random_vectors(seed, count, dims)), _random_vectors(seed + 1, 1, dims)[0]
    positions, scores = search(rows, query, k)
    cosines = _plain_cosines(rows, query)
    assert len(set(positions.tolist())) == min(k, count)
    np.testing.assert_allclose(scores, np.sort(cosines)[::-1][:k], atol=1e-3)
    np.testing.assert_allclose(scores, cosines[positions], atol=1e-6)


@given(st.integers(0, 99), st.sets(st.integers(0, 49), max_size=20), st.integers(1, 30))
def test_search_among_some_rows(seed: int, chosen: set[int], k: int) -> None:
    """Only the rows named are looked at, and the answer names them by their place among all."""
    rows, query = quantise(_random_vectors(seed, 50, 64)), _random_vectors(seed + 1, 1, 64)[0]
    positions, scores = search_rows(rows, np.array(sorted(chosen), np.uint32), query, k)
    wanted = sorted(_plain_cosines(rows, query)[sorted(chosen)], reverse=True)[:k]
    assert set(positions.tolist()) <= chosen
    np.testing.assert_allclose(scores, wanted, atol=1e-3)


def test_quantised_rows_use_all_levels() -> None:
    """Each row is scaled by its own largest number; a row of zeros and no rows at all stay what they are."""
    rows = quantise(np.array([[0.5, -0.251], [3.0, 4.0], [0.0, 0.0]], np.float32))
    assert rows.tolist() == [[127, -64], [95, 127], [0, 0]]
    assert rows.dtype == np.int8
    assert quantise(np.empty((0, 64), np.float32)).shape == (0, 64)
    assert quantise(np.array([-1.0, 0.5], np.float32)).tolist() == [-127, 64]


def test_equal_scores_are_ordered_by_position() -> None:
    """Rows that resemble the query equally come in their order, so an answer never changes by itself."""
    rows = quantise(np.ones((40, 8), np.float32))
    assert search(rows, np.ones(8, np.float32), 40)[0].tolist() == list(range(40))


def test_nothing_is_found_where_nothing_is() -> None:
    """No rows, no wish, and a query of zeros find nothing; the same rows are found by a query that means something."""
    rows, query = quantise(_random_vectors(1, 5, 64)), _random_vectors(2, 1, 64)[0]
    assert len(search(rows, query, 9)[0]) == 5
    for found in (
        search(rows[:0], query, 9),
        search(rows, query, 0),
        search(rows, 0 * query, 9),
        search(rows, query, -1),
    ):
        assert [len(part) for part in found] == [0, 0]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(number: float) -> None:
    """A vector that is not finite is an error: the library would answer it with garbage."""
    query = np.ones(8, np.float32)
    query[3] = number
    with pytest.raises(BadInput, match="not finite"):
        search(quantise(np.ones((4, 8), np.float32)), query, 2)
    with pytest.raises(BadInput, match="not finite"):
        quantise(np.stack([np.ones(8, np.float32), query]))


def test_a_query_of_another_model_is_refused() -> None:
    """Rows and query must have as many numbers."""
    with pytest.raises(BadInput, match=r"\(9,\)"):
        search(quantise(np.ones((4, 8), np.float32)), np.ones(9, np.float32), 2)


def test_rows_that_cannot_be_written_are_searched() -> None:
    """Mapped rows are read-only, and begin anywhere."""
    body = b"\0" * 64 + quantise(_random_vectors(3, 100, 48)).tobytes()
    rows = np.frombuffer(body, np.int8)[64:].reshape(100, 48)
    assert search(rows, _random_vectors(3, 100, 48)[42], 1)[0].tolist() == [42]


SEARCH = """
import numpy
from paramecium.index.vectors import quantise, search
rows = quantise(numpy.eye(8, dtype='f4'))
assert search(rows, numpy.eye(8, dtype='f4')[5], 1)[0].tolist() == [5]
"""


@pytest.mark.parametrize(
    "order", [("import usearch.index", "import onnxruntime"), ("import onnxruntime", "import usearch.index")]
)
def test_both_libraries_live_in_one_process(order: tuple[str, str]) -> None:
    """USearch and ONNX Runtime can be loaded in either order; with some versions one order ends the process."""
    code = "\n".join((*order, SEARCH, "assert onnxruntime.get_available_providers()"))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
