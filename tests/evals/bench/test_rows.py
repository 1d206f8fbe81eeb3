"""A figure beside its bar."""

from evals.bench.rows import Bar, Row, rate, size_mb, taken_ms


def test_a_bar_is_read_on_the_shortest() -> None:
    """Of 10, 30 and 70 ms the best keeps 20 ms, though the median does not."""
    row = taken_ms("recall", [0.030, 0.010, 0.070], 20)
    assert (row.best, row.median, row.n, row.verdict) == (10, 30, 3, "ok")
    assert taken_ms("recall", [0.030, 0.070], 20).verdict == "over"


def test_a_rate_is_read_on_the_highest() -> None:
    """100 events in 1 s and in 0.5 s are 200 a second at best; 150 are kept and 250 are not."""
    row = rate("relay", "events/s", 100, [1.0, 0.5], 150)
    assert (row.best, row.median, row.verdict) == (200, 150, "ok")
    assert rate("relay", "events/s", 100, [1.0, 0.5], 250).verdict == "over"


def test_a_size_is_in_millions_of_bytes() -> None:
    """118,807,000 bytes are 118.807 MB and keep 130."""
    row = size_mb("vectors", 118_807_000, 130)
    assert (row.best, row.verdict) == (118.807, "ok")


def test_a_row_without_bar_has_no_verdict() -> None:
    """A calibration is neither ok nor over, and says so in its document."""
    row = Row("sha256", "ms", 1.23456, 2, 5)
    assert row.to_json() == {
        "row": "sha256",
        "best": 1.2346,
        "median": 2,
        "unit": "ms",
        "n": 5,
        "bar": None,
        "verdict": "",
        "note": "",
    }


def test_bars_say_which_way_they_are_kept() -> None:
    """A bar is shown with its direction, and its very limit keeps it."""
    assert [str(Bar(1000)), str(Bar(2000, is_least=True))] == ["≤ 1,000", "≥ 2,000"]
    assert Bar(5).keeps(5)
    assert Bar(5, is_least=True).keeps(5)
