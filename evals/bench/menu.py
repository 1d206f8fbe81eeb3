"""The menu over 20,000 memories, beside the one embedding: short and long messages, one thread."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from evals.bench import synthetic
from evals.bench.measure import Bench, seconds
from evals.bench.rows import Row, taken_ms
from paramecium.errors import Damaged
from paramecium.index.fold import fold
from paramecium.index.vectors import quantise
from paramecium.index.words import QUERY_TERMS_MAX, Scan, terms
from paramecium.memories.events import Note
from paramecium.memories.state import Memory, State
from paramecium.memories.view import MemoryView, Scanned
from paramecium.recall.menu import Occasion
from paramecium.recall.offer import Menus
from paramecium.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MENU_MS_MAX: Final = 30.0
SHORT_WORDS: Final = 5
LONG_WORDS: Final = 80
NEIGHBOURS: Final = 3
MOMENT_OPENED: Final = 3
NOW: Final = datetime(2026, 6, 12, 12, tzinfo=UTC)


class OneView:
    """Gives one view; the loading of a view has rows of its own."""

    def __init__(self, memories: int, moments: int) -> None:
        self._view = made_up(memories, moments)

    def view(self) -> MemoryView:
        """Returns it."""
        return self._view


class Foreseen:
    """Stands in for the model, whose time has rows of its own: every query has its vector already."""

    def __init__(self) -> None:
        model = synthetic.embedder(seed=2)
        self.id, self.dims, self.mean = model.id, model.dims, model.mean
        self.floors = {"menu.message": -1.0, "menu.afterglow": -1.0, "menu.context": 0.1}
        self.vector = model.query("")

    def query(self, _: str) -> "NDArray[np.float32]":
        """Returns always the same."""
        return self.vector

    def passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Returns the same vector for each text."""
        import numpy as np

        return np.tile(self.vector, (len(texts), 1))


def rows(bench: Bench) -> Iterator[Row]:
    """Yields the time of a whole menu with all lanes, for messages of a few words and of 64 terms and more."""
    standing, model = OneView(bench.sizes.memories, bench.sizes.moments), Foreseen()
    menus = Menus(standing, lambda: model, Settings(), timeout_s=60.0)
    note = f"{bench.sizes.memories:,} memories, {bench.sizes.moments:,} moments, all lanes, embedding not counted"
    for what, size in (("a message of 5 words", SHORT_WORDS), ("a message and a reply of 64 terms each", LONG_WORDS)):
        occasions = _occasions(bench.sizes.calls + 1, size, model.vector)

        def ask(i: int, occasions: list[Occasion] = occasions) -> None:
            menu = menus.offer(occasions[i])
            if menu.late or not menu.lines:
                raise Damaged("a menu that lists nothing is not measured")

        ask(-1)
        yield taken_ms(f"menu: {what}", seconds(ask, bench.sizes.calls, bench.bar(what)), MENU_MS_MAX, note)


def made_up(memories: int, moments: int) -> MemoryView:
    """Returns a view of so many memories over five years, with vectors of chance and words as people use them."""
    import numpy as np

    model, random = synthetic.embedder(), np.random.default_rng(synthetic.SEED)
    texts = synthetic.Vocabulary().texts(memories)
    days = np.array([NOW.toordinal() - synthetic.DAYS + synthetic.DAYS * i // memories for i in range(memories)], "i4")
    notes = [_note(i, text, int(days[i])) for i, text in enumerate(texts)]
    marks: dict[str, tuple[int, ...]] = {}
    for position, note in enumerate(notes):
        marks[note.date[5:]] = (*marks.get(note.date[5:], ()), position)
    next_to = random.integers(0, memories, (memories, NEIGHBOURS)).tolist()
    return MemoryView(
        state=State(),
        memories=tuple(map(Memory, notes)),
        live=np.ones(memories, np.bool_),
        day=days,
        valid_from=np.zeros(memories, np.int32),
        valid_until=np.zeros(memories, np.int32),
        model=model.id,
        mean=model.mean,
        rows=quantise(model.passages(texts) - model.mean),
        row_of=np.arange(memories, dtype=np.int64),
        scans=(Scanned(Scan(fold(f"{n.content}\n{n.quote}") for n in notes), 0),),
        days=marks,
        moment_rows=quantise(model.passages([""] * moments)),
        moment_memories=tuple(map(tuple, random.integers(0, memories, (moments, MOMENT_OPENED)).tolist())),
        edges={i: tuple((n, 2) for n in some) for i, some in enumerate(next_to)},
        position={note.id: i for i, note in enumerate(notes)},
    )


def _note(i: int, text: str, day: int) -> Note:
    quote = text[:40]
    when = date.fromordinal(day).isoformat()
    return Note(f"memory-{i}", text[:60], quote, f"talk-{i // 20}", f"m-{i}", i % 20, 0, len(quote), when)


def _occasions(count: int, size: int, vector: "NDArray[np.float32]") -> list[Occasion]:
    words = synthetic.Vocabulary(seed=3).words
    said = ["".join(words[(i * 2 * size + j) % len(words)] for j in range(2 * size)) for i in range(count)]
    if size == LONG_WORDS and len(terms(said[0][: len(said[0]) // 2])) < QUERY_TERMS_MAX:
        raise Damaged("a long message has fewer terms than a question may have")
    glow = tuple(quantise(vector).tolist())
    moment = NOW + timedelta(days=1)
    half = [len(text) // 2 for text in said]
    return [
        Occasion(text[:at], moment, reply=text[at:], afterglow=glow, afterglow_model=synthetic.embedder().id)
        for text, at in zip(said, half, strict=True)
    ]
