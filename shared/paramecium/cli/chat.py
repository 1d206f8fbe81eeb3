"""`paramecium chat`: talk here, in the terminal, with the same memory as everywhere."""

import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from paramecium import clock
from paramecium.cli.context import Context, tell
from paramecium.errors import ParameciumError

if TYPE_CHECKING:
    from paramecium.chat.events import ChatEvent
    from paramecium.wiring import Parts

_ENDED_WELL = ("complete", "stopped")


def chat(
    context: typer.Context,
    message: Annotated[str | None, typer.Argument(help="One message; without it, a talk.")] = None,
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
) -> None:
    """Talks with the AI here; an empty line ends the talk.

    From a pipe, every line is a message.
    """
    import anyio

    given: Context = context.obj
    given.begin()
    messages = _lines() if message is None else [message]
    go_on = f"{given.command} chat --conversation" if message is None and sys.stdin.isatty() else ""
    if not anyio.run(talk, given.parts, given.life, messages, conversation, go_on):
        raise typer.Exit(1)


async def talk(parts: "Parts", life: str, messages: Iterable[str], conversation: str | None, go_on: str) -> bool:
    """Tells whether every turn went well; a talk that can `go_on` outlives a refused message.

    Model and index are loaded while a person types, and the first turn waits for them: it would have no menu else.
    """
    from anyio import to_thread

    well = True
    warming = threading.Thread(target=parts.warm, args=(life,), daemon=True)
    warming.start()
    try:
        for text in messages:
            await to_thread.run_sync(warming.join)
            try:
                conversation, went_well = await one_turn(parts, life, text, conversation)
            except ParameciumError as error:
                if not go_on:
                    raise
                tell(f"paramecium: {error}")
                continue
            well = well and went_well
    finally:
        await to_thread.run_sync(warming.join)
        await parts.close()
    if go_on and conversation:
        tell(f"to go on with this talk: `{go_on} {conversation}`")
    return well


def _lines() -> Iterator[str]:
    """Yields what is typed, without the line's end, until an empty line; from a pipe each line with words, to its end.

    A person's talk may be long, but it ends: at the latest with the end of input.
    """
    typed = sys.stdin.isatty()
    if typed:
        tell("(an empty line ends the talk)")
    while True:
        if typed:
            sys.stderr.write("> ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        text = line.removesuffix("\n").removesuffix("\r")
        if not line or (typed and not text):
            return
        if text and not text.isspace():
            yield text


async def one_turn(parts: "Parts", life: str, text: str, conversation: str | None) -> tuple[str | None, bool]:
    """Prints one turn as it streams; returns its conversation and whether it went well."""
    from paramecium.chat.events import Ask, Done, Failed, Started

    well = True
    async for event in parts.chat(life).run(Ask(clock.new_id(), text, conversation, client="terminal")):
        _show(event)
        if isinstance(event, Started | Done):
            conversation = event.conversation
        well = well and not isinstance(event, Failed)
        well = well and (not isinstance(event, Done) or event.status in _ENDED_WELL)
    sys.stdout.write("\n")
    sys.stdout.flush()
    return conversation, well


def _show(event: "ChatEvent") -> None:
    from paramecium.chat.events import Done, Failed, Text, ToolStep

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
