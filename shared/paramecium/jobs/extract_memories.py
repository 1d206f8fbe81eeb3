"""Extract: of what was said since the last time a small model takes notes, each standing on a quote.

Order: memories are stored, then compared with earlier ones, then the snapshot is kept, and the cursor moves last.
Invariant: it may stop after any store call and goes on at its next run; a call that fails moves no cursor, so a model
that is away for a week loses nothing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from paramecium.errors import BadId, Damaged, Missing, UpstreamError
from paramecium.jobs import extract_pending
from paramecium.jobs.extract_conflicts import Comparison
from paramecium.jobs.extract_cursor import Cursor, CursorKeeper, Move, Permit, Stream
from paramecium.jobs.extract_failures import NO_ANSWER, Doubt, is_cut_off, try_name
from paramecium.jobs.extract_parts import Extractor
from paramecium.jobs.extract_pending import Named, Reading
from paramecium.jobs.extract_report import ExtractReport
from paramecium.memories import extraction
from paramecium.memories.batches import Batch
from paramecium.memories.events import Added, Note
from paramecium.memories.state import State
from paramecium.messages import Entry

MOVES_AT_ONCE: Final = 100


def extract(taking: Extractor) -> ExtractReport:
    """Takes notes of what is new, newest conversation first, then of the imports a person asked for, oldest first.

    Raises Stopped, StoreUnavailable, VersionMismatch, and what `similar` and `remember` raise.
    """
    return _Run(taking).run()


class _Run:
    """Is one run; what it has read and not yet written to the cursor is in `_moves`."""

    def __init__(self, taking: Extractor) -> None:
        settings = taking.settings
        limit = settings.small_model.calls_per_day if settings.small_model else 0
        self._taking = taking
        self._keeper = CursorKeeper(
            taking.store, taking.life, timezone=settings.timezone, calls_per_day=limit, now=taking.now
        )
        self._counts, self._dropped, self._waiting = Counter[str](), Counter[str](), Counter[str]()
        self._comparison = Comparison(taking, self._keeper, self._counts)
        self._doubt = Doubt(taking, self._keeper)
        self._off_path: dict[str, tuple[str, ...]] = {}
        self._permit: Permit = "granted"
        self._known = State()
        self._moves: list[Move] = []
        self._unreadable: list[str] = []

    def run(self) -> ExtractReport:
        now = self._taking.now()
        cursor = self._keeper.read()
        listing = self._keeper.is_to_list(cursor)
        named = extract_pending.named(self._taking.archive, cursor, now, listing=listing)
        if not listing and extract_pending.is_idle(cursor, named, now):
            return ExtractReport(calls_left=self._keeper.left_of(cursor))
        self._known = self._taking.state()
        if cursor.unchecked:
            self._keeper.move([], checked=self._comparison.settle(cursor.unchecked))
        of = len(named.last) + len(extract_pending.asked(cursor))
        for done, conversation in enumerate(named.last):
            self._taking.progress(done, of)
            self._live(conversation, named, cursor)
        self._flush()
        cursor = self._keeper.read()
        for done, conversation in enumerate(extract_pending.asked(cursor), len(named.last)):
            self._taking.progress(done, max(of, done))
            self._imported(conversation, cursor)
        self._doubt.end()
        self._taking.remember(self._off_path)
        self._flush()
        self._keeper.end(named.handled(self._keeper.read(), now), listed=listing)
        self._taking.progress(max(of, 1), max(of, 1))
        return self._report()

    def _live(self, conversation: str, named: Named, cursor: Cursor) -> None:
        if self._doubt.is_away:
            return
        stream = Stream(conversation)
        # How much of an import waits is counted over the whole of it.
        entries = self._entries(conversation, 0 if conversation in cursor.asked else cursor.position(stream))
        if not entries:
            return
        silent = named.is_silent(conversation, self._taking.now())
        reading = extract_pending.reading(entries, stream, cursor.position(stream), silent=silent)
        self._look(reading)
        if conversation in cursor.asked:
            self._count_import(entries, conversation, cursor.asked[conversation]["n"])
        position = self._read(reading)
        if position is not None and not reading.rest:
            self._moves.append(Move(stream, position, max(position, reading.end)))
        if position is not None:
            self._waiting["silence"] += reading.rest
        if len(self._moves) >= MOVES_AT_ONCE:
            self._flush()

    def _count_import(self, entries: Sequence[Entry], conversation: str, base: int) -> None:
        """Notes how much of an import waits that a person asked for and that has grown."""
        stream = Stream(conversation, is_import=True)
        found = extract_pending.reading(entries, stream, base, silent=True)
        left = sum(len(batch.new) for batch in found.batches) + found.rest
        self._moves.append(Move(stream, base, base, left))

    def _imported(self, conversation: str, cursor: Cursor) -> None:
        stream = Stream(conversation, is_import=True)
        base = cursor.position(stream)
        if self._doubt.is_away or self._permit == "limit":
            self._waiting[self._why_not()] += cursor.asked[conversation]["left"]
            return
        entries = self._entries(conversation)
        if not entries:
            return
        reading = extract_pending.reading(entries, stream, base, silent=True)
        self._look(reading)
        position = self._read(reading)
        if position is not None:
            self._moves.append(Move(stream, position, max(position, reading.end), reading.rest))

    def _entries(self, conversation: str, base: int = 0) -> tuple[Entry, ...]:
        try:
            return extract_pending.unread(self._taking.archive, conversation, base)
        except (Damaged, Missing, BadId) as error:
            self._unreadable.append(str(error))
            return ()

    def _look(self, reading: Reading) -> None:
        """Finds the memories that are off the path; where that changed it is kept before the cursor moves."""
        if reading.first > 0:  # what lies before goes on as it was
            return
        notes = _notes_of(self._known, reading.stream.conversation)
        off = tuple(note.id for note in notes if note.message not in reading.on_path)
        self._off_path[reading.stream.conversation] = off
        if off or (notes and reading.turned):
            self._taking.remember(self._off_path)

    def _read(self, reading: Reading) -> int | None:
        """Reads the batches in order; returns the position behind them, None when not all could be read."""
        position = reading.base
        left = sum(len(batch.new) for batch in reading.batches)
        for batch in reading.batches:
            left -= len(batch.new)
            move = Move(reading.stream, position, batch.upto, left + reading.rest)
            if not self._take(batch, move):
                self._waiting[self._why_not()] += left + len(batch.new) + reading.rest
                return None
            position = batch.upto
        return position

    def _take(self, batch: Batch, move: Move) -> bool:
        """Asks about one batch; returns whether the cursor has passed it."""
        settings = self._taking.settings
        if self._permit != "limit":
            self._permit = self._keeper.take_call(move.stream, move.base)
        if self._permit != "granted":
            return False
        self._counts["calls"] += 1
        question = extraction.ask(batch, language=settings.language, person=settings.person, ai=settings.ai)
        try:
            answer = self._taking.model.ask(question.system, question.text)
        except UpstreamError as error:
            return self._doubt.failed_call(error, batch, move)
        self._doubt.answered()
        noted = _noted(self._known, batch.conversation)
        found = extraction.read_answer(answer.text, batch, noted=noted, person=settings.person, ai=settings.ai)
        self._dropped.update({reason: n for reason, n in found.dropped.items() if reason != "already"})
        if not found.whole or is_cut_off(answer):
            return self._doubt.count(batch, move, NO_ANSWER)
        self._counts["already"] += found.dropped.get("already", 0)
        self._keep(found.notes, batch, move)
        return True

    def _keep(self, notes: Sequence[Note], batch: Batch, move: Move) -> None:
        state = self._taking.state()
        new = [note for note in notes if note.id not in state.memories and note.id not in state.forgotten]
        self._counts["already"] += len(notes) - len(new)
        ids = [note.id for note in new]
        if new:
            self._keeper.note_unchecked(ids)
            self._taking.append(*((Added(note), "") for note in new))
            self._counts["added"] += len(new)
        settled = self._comparison.settle(ids) if new else ()
        if new:
            self._known = self._taking.state()
        self._keeper.move([move], checked=settled, tried=try_name(move.stream, batch))
        self._counts["messages"] += len(batch.new)

    def _why_not(self) -> str:
        return {"limit": "limit", "moved": "elsewhere", "granted": "failed"}[self._permit]

    def _flush(self) -> None:
        if self._moves:
            self._keeper.move(self._moves)
            self._moves = []

    def _report(self) -> ExtractReport:
        names = ("calls", "messages", "added", "already", "superseded", "revived", "unchecked")
        self._counts["calls"] += self._doubt.calls
        return ExtractReport(
            **{name: self._counts[name] for name in names},
            dropped=dict(self._dropped),
            set_aside=self._doubt.set_aside,
            waiting={why: n for why, n in self._waiting.items() if n},
            calls_left=self._keeper.calls_left(),
            failed=self._doubt.failed or self._comparison.failed,
            unreadable=tuple(self._unreadable),
        )


def _notes_of(state: State, conversation: str) -> list[Note]:
    return [m.note for m in state.memories.values() if m.note.conversation == conversation]


def _noted(state: State, conversation: str) -> extraction.Noted:
    """Returns the ranges that stand already, by conversation and message."""
    ranges: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for note in _notes_of(state, conversation):
        ranges.setdefault((note.conversation, note.message), []).append((note.start, note.end))
    return ranges
