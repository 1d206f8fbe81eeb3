"""What this machine can do at all, so that figures of two machines can be read side by side."""

import hashlib
import os
from collections.abc import Iterator
from typing import Final

from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, taken_ms

DIMS: Final = 384
TIMES: Final = 20
PAGE: Final = bytes(4096)


def rows(bench: Bench) -> Iterator[Row]:
    """Yields a product of matrix and vector, a hash, and a write that reaches the disk."""
    yield _matvec(bench)
    body = bytes(bench.sizes.sha256_bytes)
    took = seconds(lambda _: hashlib.sha256(body).digest(), 5, bench.bar("sha256"))
    yield taken_ms(f"calibration: sha256 of {len(body) / 1e6:g} MB", took)
    yield _fsync(bench)


def _matvec(bench: Bench) -> Row:
    import numpy as np

    count = bench.sizes.passages
    random = np.random.default_rng(1)
    matrix = random.random((count, DIMS), np.float32)
    vector = random.random(DIMS, np.float32)
    took = seconds(lambda _: matrix @ vector, TIMES, bench.bar("matvec"))
    return taken_ms(f"calibration: matvec {count:,} × {DIMS} float32", took)


def _fsync(bench: Bench) -> Row:
    bench.folder.mkdir(parents=True, exist_ok=True)
    path = bench.folder / "fsync"

    def write(_: int) -> None:
        with path.open("wb") as file:
            file.write(PAGE)
            file.flush()
            os.fsync(file.fileno())

    took = seconds(write, bench.sizes.calls, bench.bar("fsync"))
    path.unlink()
    return taken_ms("calibration: a file of 4 KB, written and fsynced", took)
