"""The afterglow of an answer: the vector of its last passage, by which the next menu knows what the AI was just about.

Knows how the vector is kept in an entry, and how long an answer waits for it. Invariant: whatever the model does, fails
or hangs, an answer is stored; its afterglow is then an empty one.
"""

import base64
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from paramecium.index.passages import passages
from paramecium.messages import Json

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from paramecium.index.embedder import Embedding

MODEL: Final = "afterglow_model"
TIMEOUT_S: Final = 5.0
AT_WORK_MAX: Final = 4
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Glow:
    """Is a vector as an entry keeps it: whole numbers of one byte, whose direction alone means something."""

    numbers: tuple[int, ...] = ()
    model: str = ""

    @property
    def more(self) -> Json:
        """Returns what the entry says beside the numbers: which model they are of."""
        return {MODEL: self.model} if self.numbers else {}


NO_GLOW: Final = Glow()


class Afterglow:
    """Makes the afterglow of answers; the model is loaded on first use.

    At most four are at work at a time: where a model hangs, further answers have none at once and no more threads wait.
    """

    def __init__(self, embedder: Callable[[], "Embedding"], timeout_s: float = TIMEOUT_S) -> None:
        self._embedder = embedder
        self._timeout_s = timeout_s
        self._room = threading.BoundedSemaphore(AT_WORK_MAX)

    async def in_time(self, speaker: str, text: str) -> Glow:
        """Returns the afterglow of an answer, an empty one when it is not there in time."""
        with anyio.move_on_after(self._timeout_s):
            return await anyio.to_thread.run_sync(self.of, speaker, text, abandon_on_cancel=True)
        _log.warning("an answer did not wait for its afterglow")
        return NO_GLOW

    def of(self, speaker: str, text: str) -> Glow:
        """Returns the afterglow of an answer, an empty one when it has no words or there is no model. Never raises."""
        spans = passages(text)
        if not spans or text.isspace() or not self._room.acquire(blocking=False):
            return NO_GLOW
        start, end = spans[-1]
        try:
            return self._glow(f"{speaker}: {text[start:end]}")
        except Exception as error:  # noqa: BLE001 - an answer that was read is never thrown away
            # The words of an unknown error may be a person's.
            _log.warning("an answer has no afterglow: %s", type(error).__name__)
            return NO_GLOW
        finally:
            self._room.release()

    def _glow(self, passage: str) -> Glow:
        from paramecium.index.vectors import quantise

        model = self._embedder()
        return Glow(tuple(quantise(model.passages([passage])[0]).tolist()), model.id)


def context_of(vector: "NDArray[float32] | None", model: str) -> Json | None:
    """Returns the context a recall is noted with, {"model", "vector"}, None without a vector."""
    if vector is None or not model:
        return None
    from paramecium.index.vectors import quantise

    return {"model": model, "vector": base64.b64encode(quantise(vector).tobytes()).decode("ascii")}
