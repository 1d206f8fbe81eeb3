"""`python -m evals.bench`: takes the figures, calibration first, and prints each beside its bar."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from evals import report
from evals.bench import calibration, embedding, finding, gateway, memories, menu, starts, writing
from evals.bench.measure import Bench
from evals.bench.rows import Row

SUBJECTS: Final[dict[str, Callable[[Bench], Iterator[Row]]]] = {
    "starts": starts.rows,
    "vectors": finding.vector_rows,
    "recall": finding.recall_rows,
    "menu": menu.rows,
    "embedding": embedding.rows,
    "ingest": writing.rows,
    "gateway": gateway.rows,
    "memory": gateway.memory_rows,
    "memories": memories.rows,
}


def main(arguments: Sequence[str]) -> int:
    """Takes the figures of all subjects, or of those named; returns 0 whether or not bars are kept."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench", description="Figures, each beside its bar.")
    parser.add_argument("--json", action="store_true", help="print one document of JSON")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, metavar="ROW", help=f"of: {', '.join(SUBJECTS)}")
    given = parser.parse_args(arguments)
    with report.bars() as bar:
        rows = [row.to_json() for row in take(Bench(bar=bar), given.only or list(SUBJECTS))]
    if given.json:
        report.print_json({"benchmark": "bench", "rows": rows})
    else:
        report.print_table("bench: bars are read on the best", rows)
    return 0


def take(bench: Bench, subjects: Sequence[str]) -> Iterator[Row]:
    """Yields the rows of calibration and of each subject."""
    yield from calibration.rows(bench)
    for subject in subjects:
        yield from SUBJECTS[subject](bench)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
