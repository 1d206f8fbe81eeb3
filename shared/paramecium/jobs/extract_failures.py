"""What a call of the small model that failed means: the service is away, or it is this batch that cannot be read.

An outage shows by the next conversation failing too: then the run ends and nothing is counted. A try is counted for a
batch when the service answered another question of the run, or says that it is the request it refuses. After 3 tries
the service is asked about a talk that nobody could refuse to read: one that does not answer that either, because its
account is out of credit, or another model stands under the name, is away whatever it says. Else the batch is set aside:
which messages it was and why, without a word of them.
Invariant: an outage, however long, sets nothing aside.
"""

from contextlib import suppress
from typing import Final

from paramecium.errors import AlreadyExists, UpstreamError, UpstreamRefused
from paramecium.jobs.extract_cursor import JOB, TRIES_MAX, CursorKeeper, Move, Stream
from paramecium.jobs.extract_parts import Extractor
from paramecium.memories import extraction
from paramecium.memories.batches import Batch
from paramecium.memories.questions import first_array
from paramecium.memories.spoken import Spoken
from paramecium.messages import dump_json
from paramecium.store import keys
from paramecium.upstream.small_reply import SmallAnswer

NO_ANSWER: Final = "the answer does not end, or is no JSON"
_OF_THE_REQUEST: Final = (400, 413, 422)
_HARMLESS: Final = Batch((), (Spoken("probe", "probe", 0, "user", "", "", "今天天气很好，晚饭后我们去散步了。"),))


def is_refused(error: UpstreamError) -> bool:
    """Tells whether the service refuses what it was asked, and not us."""
    return isinstance(error, UpstreamRefused) and error.upstream_status in _OF_THE_REQUEST


def is_cut_off(answer: SmallAnswer) -> bool:
    """Tells whether the model was cut off before its answer began, as one that thinks too long."""
    return answer.stop_reason == "max_tokens" and "[" not in answer.text


class Doubt:
    """Knows of one run which batch is in doubt, and whether the service is away."""

    def __init__(self, taking: Extractor, keeper: CursorKeeper) -> None:
        self._taking, self._keeper = taking, keeper
        self._doubted: tuple[Batch, Move, str] | None = None
        self._answered = False
        self.is_away = False
        self.failed: str | None = None
        self.set_aside = 0
        self.calls = 0

    def answered(self) -> None:
        """Notes that the service answers: a batch in doubt is itself the reason."""
        self._answered = True
        if self._doubted is not None:
            doubted, self._doubted = self._doubted, None
            self.count(*doubted)

    def failed_call(self, error: UpstreamError, batch: Batch, move: Move) -> bool:
        """Notes a failed call; returns whether the batch was set aside."""
        if is_refused(error):
            return self.count(batch, move, str(error))
        self.failed = str(error)
        if self._doubted is not None:
            self.is_away, self._doubted = True, None
        else:
            self._doubted = (batch, move, str(error))
        self._keeper.give_back()
        return False

    def end(self) -> None:
        """Settles a batch in doubt at the end of a run: nothing else was asked after it."""
        if self._doubted is not None and self._answered and not self.is_away:
            doubted, self._doubted = self._doubted, None
            self.count(*doubted)

    def count(self, batch: Batch, move: Move, reason: str) -> bool:
        """Counts a try of a batch; returns whether it was the third, so that it was set aside."""
        name = try_name(move.stream, batch)
        if self._keeper.count_try(name) < TRIES_MAX or not self._answers_others():
            return False
        told = {
            "conversation": batch.conversation,
            "messages": [said.message for said in batch.new],
            "reason": reason,
            "at": self._taking.now().isoformat(),
        }
        with suppress(AlreadyExists):  # by a run that ended before it moved the cursor, or by another worker
            self._taking.store.create(keys.set_aside(self._taking.life, JOB, name), dump_json(told))
        self._keeper.move([move], tried=name)
        self.set_aside += 1
        return True

    def _answers_others(self) -> bool:
        """Asks about harmless words; a service that gives no whole answer to them is away."""
        if self._keeper.take_call() != "granted":
            return False
        self.calls += 1
        settings = self._taking.settings
        asked = extraction.ask(_HARMLESS, language=settings.language, person=settings.person, ai=settings.ai)
        try:
            answer = self._taking.model.ask(asked.system, asked.text)
        except UpstreamError as error:
            self._keeper.give_back()
            self.is_away, self.failed = True, str(error)
            return False
        is_whole = first_array(answer.text).is_whole and not is_cut_off(answer)
        if not is_whole:
            self.is_away, self.failed = True, NO_ANSWER
        return is_whole


def try_name(stream: Stream, batch: Batch) -> str:
    """Returns the name tries of a batch are counted under."""
    return f"{stream.conversation}-{'import-' if stream.is_import else ''}{batch.from_n}"
