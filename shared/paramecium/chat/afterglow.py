"""The afterglow of an answer: the vector of its last passage, by which the next menu knows what the AI was just about.

Synchronous: it runs in a thread. Knows how the vector is kept in an entry. Invariant: an answer is stored whether its
afterglow could be made or not.
"""

import base64
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from paramecium.errors import ParameciumError
from paramecium.index.passages import passages
from paramecium.messages import Json

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from paramecium.index.embedder import Embedding

MODEL: Final = "afterglow_model"
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


class Afterglow:
    """Makes the afterglow of answers; the model is loaded on first use."""

    def __init__(self, embedder: Callable[[], "Embedding"]) -> None:
        self._embedder = embedder

    def of(self, speaker: str, text: str) -> Glow:
        """Returns the afterglow of an answer, an empty one when it has no words or there is no model."""
        spans = passages(text)
        if not spans or text.isspace():
            return Glow()
        start, end = spans[-1]
        try:
            from paramecium.index.vectors import quantise

            model = self._embedder()
            vector = model.passages([f"{speaker}: {text[start:end]}"])[0]
            return Glow(tuple(quantise(vector).tolist()), model.id)
        except ParameciumError as error:
            _log.warning("an answer has no afterglow: %s", error.kind)
            return Glow()


def context_of(vector: "NDArray[float32] | None", model: str) -> Json | None:
    """Returns the context a recall is noted with, {"model", "vector"}, None without a vector."""
    if vector is None or not model:
        return None
    from paramecium.index.vectors import quantise

    return {"model": model, "vector": base64.b64encode(quantise(vector).tobytes()).decode("ascii")}
