"""`python -m evals NAME …`: starts one of the evaluations."""

import sys
from importlib import import_module
from typing import Final

EVALUATIONS: Final = {
    "sample": "evals.sample",
    "menu": "evals.menu.__main__",
    "bench": "evals.bench.__main__",
}


def main(arguments: list[str]) -> int:
    """Runs the evaluation named first with the other arguments; returns the exit code."""
    if not arguments or arguments[0] not in EVALUATIONS:
        sys.stderr.write(f"python -m evals NAME …; NAME is one of: {', '.join(EVALUATIONS)}\n")
        return 2
    code: int = import_module(EVALUATIONS[arguments[0]]).main(arguments[1:])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
