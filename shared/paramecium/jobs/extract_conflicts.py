"""New memories beside the earlier ones most similar to them: which supersede one, and which say it again.

One call a new memory, none when nothing is similar enough. A memory stands before it is compared; its id waits in the
cursor until it was, so neither a kill nor an outage leaves it out. Invariant: what the model says here only ever leads
to events that a person can take back.
"""

from collections import Counter
from collections.abc import Sequence

from paramecium.errors import UpstreamError
from paramecium.jobs.extract_cursor import CursorKeeper
from paramecium.jobs.extract_failures import is_refused
from paramecium.jobs.extract_parts import Extractor
from paramecium.memories import conflicts
from paramecium.memories.events import Note, Revived, Superseded, What


class Comparison:
    """Compares new memories during one run and counts in `counts` what became of it."""

    def __init__(self, taking: Extractor, keeper: CursorKeeper, counts: Counter[str]) -> None:
        self._taking, self._keeper, self.counts = taking, keeper, counts
        self.failed: str | None = None

    def settle(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Compares the memories that stand and returns the ids that need not be looked at again.

        After a call that failed the rest waits for the next run; at the daily limit it is not compared, and counted.
        """
        state = self._taking.state()
        notes = [state.memories[ident].note for ident in ids if ident in state.memories]
        settled = [ident for ident in ids if ident in state.forgotten]
        for note, found in zip(notes, self._taking.similar(notes) if notes else (), strict=True):
            self._write(note, [(what, "") for what in conflicts.said_again(self._taking.state(), note)])
            candidates = self._fitting(note, found)
            if not candidates or self._ask(note, candidates):
                settled.append(note.id)
        return tuple(settled)

    def _fitting(self, note: Note, found: Sequence[Note]) -> list[Note]:
        """A memory that was retired or forgotten since the search is no candidate."""
        state = self._taking.state()
        standing = (state.memories[c.id] for c in found if c.id != note.id and c.id in state.memories)
        return [m.note for m in standing if state.standing(m) != "retired"][: conflicts.CANDIDATES_MAX]

    def _ask(self, note: Note, candidates: Sequence[Note]) -> bool:
        """Tells whether the note is settled."""
        if self.failed is not None:
            return False
        if self._keeper.take_call() == "limit":
            self.counts["unchecked"] += 1
            return True
        self.counts["calls"] += 1
        question = conflicts.ask(note, candidates, language=self._taking.settings.language)
        try:
            answer = self._taking.model.ask(question.system, question.text)
        except UpstreamError as error:
            if is_refused(error):
                self.counts["unchecked"] += 1
                return True
            self.failed = str(error)
            self._keeper.give_back()
            return False
        verdicts = conflicts.read_answer(answer.text, candidates)
        reasons = {verdict.target_id: verdict.reason for verdict in verdicts}
        found = conflicts.consequences(self._taking.state(), note, verdicts)
        self._write(note, [(what, reasons.get(getattr(what, "memory", ""), "")) for what in found])
        return True

    def _write(self, note: Note, what: Sequence[tuple[What, str]]) -> None:
        if not what or note.id not in self._taking.state().memories:
            return
        self._taking.append(*what)
        for happened, _ in what:
            self.counts["superseded"] += isinstance(happened, Superseded)
            self.counts["revived"] += isinstance(happened, Revived)
