"""Memories of the sample life, written beside its archive: each stands on words of a message that were looked up."""

from pathlib import Path

from paramecium.archive.conversations import Archive
from paramecium.memories.events import Added, Event, Note, Recalled, What
from paramecium.memories.ledger import Ledger
from paramecium.memories.quotes import memory_id
from paramecium.store.local import LocalStore

TAKEN = (
    ("林夏以后奶茶只喝乌龙轻乳茶", "我决定以后奶茶就喝乌龙轻乳茶了", "2026-06-12"),
    ("砚台是林夏的猫\r\n它打过疫苗", "疫苗", "2026-03-05"),
    ("灯塔的事" + "很长" * 40, "灯塔", ""),
)


def note_on(archive: Archive, content: str, quote: str, date: str) -> Note:
    """Returns a note on the first message of the archive that has these words."""
    for conversation, _ in archive.heads():
        for entry in archive.read(conversation):
            if entry.is_message and quote in entry.text:
                start = entry.text.index(quote)
                end = start + len(quote)
                ident = memory_id(conversation, entry.id, start, end, quote)
                place = (conversation, entry.id, entry.n, start, end)
                return Note(ident, content, quote, *place, date, entry.at, entry.speaker, entry.role or "")
    raise AssertionError(f"nobody said {quote}")


def remember(life: Path) -> list[Note]:
    """Writes three memories into the ledger of a life, recalls the first twice, and returns them."""
    store = LocalStore(life)
    archive = Archive(store, "main")
    notes = [note_on(archive, *taken) for taken in TAKEN]
    calls = [Recalled((notes[0].id,), query=query, conversation="c", turn="t") for query in ("奶茶", "喝什么")]
    whats: list[What] = [*map(Added, notes), *calls]
    Ledger(store, "main").append(
        [Event(f"e-{i}", f"2026-06-13T08:0{i}:00.000+08:00", "extract", what) for i, what in enumerate(whats)]
    )
    return notes


def event_files(life: Path) -> int:
    """Returns how many events stand."""
    return len(list(life.glob("main/memories/events/*.json")))
