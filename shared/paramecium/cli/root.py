"""The root of the command line: global options, the table of commands, and how errors are told.

Everything a person reads goes to standard error, results go to standard output; with --json a result is one document
of UTF-8, unescaped, printed with exit code 1 too.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from paramecium.cli import (
    chat,
    demo,
    fts,
    import_,
    ingest,
    init,
    rebuild,
    recall,
    serve,
    verify,
)
from paramecium.cli.context import Context
from paramecium.errors import BadInput, ParameciumError

app = typer.Typer(
    name="paramecium",
    help="Keeps every word you say to an AI, and finds it again word for word.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option(help="Folder of the archive.  [default: ./data]")] = None,
    store: Annotated[str | None, typer.Option(help="A bucket instead of a folder: s3://NAME")] = None,
    life: Annotated[str, typer.Option(help="Which life of the archive.")] = "main",
    config: Annotated[Path | None, typer.Option(help="Configuration.  [default: ./paramecium.toml]")] = None,
) -> None:
    """Keeps every word you say to an AI, and finds it again word for word."""
    context.obj = Context(data=data, bucket=store, life=life, config=config)


app.command("init")(init.init)
app.command("serve")(serve.serve)
app.command("chat")(chat.chat)
app.command("import")(import_.import_)
app.command("ingest")(ingest.ingest)
app.command("fts")(fts.fts)
app.command("recall")(recall.recall)
app.command("verify")(verify.verify)
app.command("rebuild")(rebuild.rebuild)
app.command("demo")(demo.demo)


def run() -> None:
    """Runs the command line; an error of ours is told in one sentence, exit code 1 (2 for bad input)."""
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except ParameciumError as error:
        sys.stderr.write(f"paramecium: {error}\n")
        sys.exit(2 if isinstance(error, BadInput) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone; Python would complain again when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
