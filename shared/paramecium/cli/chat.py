"""`paramecium chat`: talk here, in the terminal, with the same memory as everywhere."""

import sys
from collections.abc import Iterator
from typing import Annotated

import anyio
import typer

from paramecium import clock
from paramecium.chat.events import Ask, ChatEvent, Done, Failed, Started, Text, ToolStep
from paramecium.cli.context import Context, tell
from paramecium.wiring import Parts


def chat(
    context: typer.Context,
    message: Annotated[str | None, typer.Argument(help="One message; without it, a talk.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
) -> None:
    """Talks with the AI here; an empty line ends the talk."""
    given: Context = context.obj
    anyio.run(_talk, given.parts, given.life, [message] if message is not None else None, conversation)


async def _talk(parts: Parts, life: str, messages: list[str] | None, conversation: str | None) -> None:
    failed = False
    for text in messages if messages is not None else _lines():
        conversation, failed = await one_turn(parts, life, text, conversation)
    await parts.close()
    if failed:
        raise typer.Exit(1)


def _lines() -> Iterator[str]:
    """Yields what is typed, without the line's end, until an empty line or the end of input."""
    while True:
        if sys.stdin.isatty():
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = sys.stdin.readline().removesuffix("\n")
        if not line:
            return
        yield line


async def one_turn(parts: Parts, life: str, text: str, conversation: str | None) -> tuple[str | None, bool]:
    """Prints one turn as it streams; returns its conversation and whether it failed."""
    failed = False
    async for event in parts.chat(life).run(Ask(clock.new_id(), text, conversation, client="terminal")):
        _show(event)
        failed = failed or isinstance(event, Failed)
        if isinstance(event, Started | Done):
            conversation = event.conversation
    sys.stdout.write("\n")
    return conversation, failed


def _show(event: ChatEvent) -> None:
    match event:
        case Text(text):
            sys.stdout.write(text)
            sys.stdout.flush()
        case ToolStep(name=name, state="call", input=asked):
            tell(f"  · {name}: {asked.get('query', '')}")
        case Failed(message=message):
            tell(f"\nparamecium: {message}")
        case Done(status=status) if status != "complete":
            tell(f"\n({status})")
        case _:
            pass
