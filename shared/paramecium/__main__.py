"""`python -m paramecium` and the `paramecium` script: both start the command line."""


def main() -> None:
    """Runs the command line."""
    from paramecium.cli.root import run

    run()


if __name__ == "__main__":
    main()
