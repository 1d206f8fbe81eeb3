"""The menu as values: what it is made for, its lines, and what else making it found out.

Invariant: a menu without lines has no text.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Occasion(NamedTuple):
    """Is the moment a menu is made for.

    `reply`, `afterglow` and `afterglow_model` are the previous answer's words, the vector of its last passage, and the
    model that made it. `recalled` are memories opened in this conversation, newest last; `known` are ids not to be
    listed again; `seen` maps (conversation, message) to the spans of it that stand before the model.
    """

    text: str
    moment: datetime
    conversation: str | None = None
    reply: str = ""
    afterglow: tuple[int, ...] = ()
    afterglow_model: str = ""
    recalled: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    seen: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = {}


class Line(NamedTuple):
    """Is one memory on the menu; `date` is YYYY-MM-DD or empty, `lanes` those that brought it."""

    id: str
    date: str
    title: str
    lanes: tuple[str, ...]
    score: float


class Menu(NamedTuple):
    """Is a menu; `context` is the raw query vector of the message, by `model`; `late` are lanes that took too long."""

    lines: tuple[Line, ...]
    text: str
    tokens: int
    context: "NDArray[np.float32] | None" = None
    model: str = ""
    late: tuple[str, ...] = ()
