"""How results are shown: progress on standard error; a table, or one document of JSON, on standard output."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from paramecium.messages import Json, dump_json

Progress = Callable[[int, int], None]
Bar = Callable[[str], Progress]


@contextmanager
def bars() -> Iterator[Bar]:
    """Yields what starts a progress bar and returns its (done, of); they show nothing where no person looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:

        def begin(what: str) -> Callable[[int, int], None]:
            task = shown.add_task(what, total=None)
            return lambda done, of: shown.update(task, completed=done, total=of)

        yield begin


def silent_bar(_what: str) -> Progress:
    """Starts a progress bar that shows nothing."""
    return lambda _done, _of: None


def print_table(title: str, rows: Sequence[Json]) -> None:
    """Prints rows that have the same names; a number stands to the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for name, value in (rows[0] if rows else {}).items():
        table.add_column(name.replace("_at_", "@").replace("_", " "), justify=_side(value), overflow="fold")
    for row in rows:
        table.add_row(*("" if value is None else _shown(value) for value in row.values()))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def print_json(document: Json) -> None:
    """Prints one document."""
    sys.stdout.buffer.write(dump_json(document) + b"\n")
    sys.stdout.buffer.flush()


def _side(value: object) -> Literal["left", "right"]:
    return "right" if isinstance(value, int | float) else "left"


def _shown(value: object) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else str(value)
