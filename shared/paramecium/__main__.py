"""`python -m paramecium` and the `paramecium` script: both start the command line."""

import sys


def main() -> None:
    """Runs the command line; also while it is still being loaded, Ctrl-C ends it quietly."""
    try:
        from paramecium.cli.root import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
