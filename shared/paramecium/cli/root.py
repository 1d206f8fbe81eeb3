"""The root of the command line: global options, the table of commands, and how errors are told.

Everything a person reads goes to standard error, results go to standard output; with --json a result is one document
of UTF-8, unescaped, printed with exit code 1 too. Invariant: an error somebody meant to show is one line, whatever the
terminal, the locale or the reader of our output.
"""

import os
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from paramecium.cli import (
    chat,
    demo,
    extract,
    fts,
    import_,
    ingest,
    init,
    memories,
    menu,
    rebuild,
    recall,
    serve,
    verify,
)
from paramecium.cli.context import Context, tell
from paramecium.errors import BadInput, ParameciumError

INTERRUPTED = 130
GLOBAL = ("--data", "--store", "--life", "--config")

app = typer.Typer(
    name="paramecium",
    help="Keeps every word you say to an AI, and finds it again word for word.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def show_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"paramecium {version('paramecium')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help="Folder of the archive.  [default: ./data]")] = None,
    store: Annotated[str | None, typer.Option(help="A bucket instead of a folder: s3://NAME")] = None,
    life: Annotated[
        str | None, typer.Option(help="Which life of the archive.  [default: main; jobs go over every life]")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Configuration.  [default: ./paramecium.toml]")] = None,
    version: Annotated[  # noqa: ARG001 (its callback has said it)
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Keeps every word you say to an AI, and finds it again word for word."""
    context.obj = Context(data=data, bucket=store, named_life=life, config=config)


app.command("init")(init.init)
app.command("serve")(serve.serve)
app.command("chat")(chat.chat)
app.command("import")(import_.import_)
app.command("ingest")(ingest.ingest)
app.command("extract")(extract.extract)
app.command("fts")(fts.fts)
app.command("recall")(recall.recall)
app.command("menu")(menu.menu)
app.add_typer(memories.app)
app.command("verify")(verify.verify)
app.command("rebuild")(rebuild.rebuild)
app.command("demo")(demo.demo)


def run() -> None:
    """Runs the command line; an error of ours is told in one sentence, exit code 1 (2 for bad input)."""
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _called(hoisted(sys.argv[1:]))
        sys.__stdout__.flush()  # type: ignore[union-attr]
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    sys.exit(code)


def hoisted(arguments: list[str]) -> list[str]:
    """Returns the arguments with the global options in front, where a person also puts them behind the command."""
    front, rest = [], []
    words = iter(arguments)
    for word in words:
        name, _, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif name in GLOBAL and value:
            front.append(word)
        elif word in GLOBAL:
            front += [word, *islice(words, 1)]
        else:
            rest.append(word)
    return front + rest


def _called(arguments: list[str]) -> int:
    try:
        return app(arguments or ["--help"], prog_name="paramecium", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except TyperException as error:
        tell(f"paramecium: {_sentence(error)}")
        return error.exit_code
    except ParameciumError as error:
        tell(f"paramecium: {error}")
        return 2 if isinstance(error, BadInput) else 1
    except BrokenPipeError:
        raise
    except OSError as error:
        tell(f"paramecium: {error.filename or 'the result'}: {error.strerror or error}")
        return 1


def _sentence(error: TyperException) -> str:
    """Says a wrong call in one line, with the command that shows the right one."""
    context = getattr(error, "ctx", None)
    said = " ".join(error.format_message().split()).rstrip(".")
    command = context.command_path if context else "paramecium"
    if "unexpected extra argument" in said:
        said += ": put words with blanks between them in quotes"
    return f"{said[:1].lower()}{said[1:]}; `{command} --help` shows what it takes"
