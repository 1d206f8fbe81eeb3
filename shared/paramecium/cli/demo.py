"""`paramecium demo`: a small sample life and its notes, a menu, one question, and the words that answer it."""

from pathlib import Path
from typing import Annotated

import typer

from paramecium.cli import serve as server
from paramecium.cli.chat import one_turn
from paramecium.cli.context import Context, bar, tell
from paramecium.errors import BadSetting, Missing
from paramecium.messages import load_json

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SAMPLE = EXAMPLES / "sample_life.jsonl"
NOTES = EXAMPLES / "sample_notes.jsonl"
QUESTION = "我后来决定奶茶就喝哪一种了？"
# A day after the sample life's last: what is dated later than now is on no menu.
SAID = "搬家那天真乱，猫躲哪儿去了来着"
SAID_AT = "2026-09-01T18:30"


def demo(
    context: typer.Context,
    serve: Annotated[bool, typer.Option("--serve", help="Then serve the gateway.")] = False,
    port: Annotated[int | None, typer.Option(help="Port for --serve.")] = None,
) -> None:
    """Asks one question of a small sample life."""
    import anyio

    given: Context = context.obj
    if not SAMPLE.exists():
        raise Missing(f"the sample life is not at {SAMPLE}; the demo runs from a checkout")
    choice = given.parts.upstreams.choose(None, None)
    refuse_a_real_life(given)
    bring_in(given)
    note_down(given)
    show_memories(given)
    tell(f"\nasking {choice.account.name} ({choice.model}): {QUESTION}\n")
    well = anyio.run(_ask, given)
    if serve:
        tell("")
        settings, made = server.with_token(given.settings, given.life)
        server.run(given, settings, "127.0.0.1", port, jobs=True, made=made)
    elif not well:
        raise typer.Exit(1)


def refuse_a_real_life(given: Context) -> None:
    """Raises BadSetting where a life stands that the sample would be mixed into."""
    from paramecium.archive.names import conversation_id

    first = load_json(SAMPLE.read_bytes().partition(b"\n")[0])["id"]
    archive = given.life_parts.archive
    if not archive.blocks(conversation_id(first)) and any(True for _ in archive.heads()):
        raise BadSetting(f"a life of its own is in {given.folder}; name another folder for the demo with --data")


def bring_in(given: Context) -> None:
    """Imports and ingests the sample life; a second time finds it all there."""
    with bar("import the sample life") as progress:
        imported = given.life_parts.import_file(SAMPLE, progress)
    tell(f"a sample life of {imported.messages} messages: {imported.added} are new, {imported.already} were there")
    with bar("ingest") as progress:
        report = given.life_parts.ingest(progress)
    tell(f"ingested: {report.passages} passages, with {given.parts.embedder.id}")


def note_down(given: Context) -> None:
    """Adds the sample life's notes, which were written by hand; a second time finds them all there."""
    from paramecium.jobs.sample_notes import add_notes

    life = given.life_parts
    noted = add_notes(NOTES, life.archive, life.ledger, timezone=given.settings.timezone)
    with bar("remember") as progress:
        life.remember(progress)
    tell(f"{noted.added + noted.already} notes stand on its words: {noted.added} are new, {noted.already} were there")


def show_memories(given: Context) -> None:
    """Shows the menu that a message gets, and what recall returns for a title on it."""
    from paramecium.recall.search import Query

    shown = given.life_parts.preview.show(SAID, at=SAID_AT)
    tell(f"\nbeside “{SAID}” a model is given:\n{shown['text'] or '(nothing)'}")
    for line in shown["lines"][:1]:
        found = given.life_parts.finder.recall(Query(line["title"]))
        note = next((f.memory.note for f in found.memories if f.memory.note.id == line["id"]), None)
        if note is not None:
            tell(f"\nwhen it recalls the first of them, the words come with it:\n{note.speaker}: {note.quote}")


async def _ask(given: Context) -> bool:
    try:
        _, well = await one_turn(given.parts, given.life, QUESTION, None)
    finally:
        await given.parts.close()
    return well
