"""A menu in the making: what the lanes of one occasion need, fetched at once by two threads, one lane after the other.

Knows which lane needs what; the lanes themselves are pure. Invariant: what stands can be looked at while the rest is
still being made, and one lane that fails takes no other with it.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from paramecium.errors import ModelDamaged, ModelMissing, ParameciumError
from paramecium.memories.view import MemoryView
from paramecium.recall import lanes
from paramecium.recall.eligible import Eligible
from paramecium.recall.lanes import Found
from paramecium.recall.menu import Occasion
from paramecium.settings import Lane

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.embedder import Embedding

TEXT_CHARS_MAX: Final = 4000
# Far longer than any transcript takes to be read; whoever began a menu ends it before.
OCCASION_WAIT_S: Final = 300.0


class Views(Protocol):
    """Is what a life's memories are read from."""

    def view(self) -> MemoryView:
        """Returns the memories as they stand now."""
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """Is what stands when the time is up."""

    view: MemoryView | None = None
    eligible: Eligible | None = None
    found: Mapping[Lane, Found] = field(default_factory=dict)
    vector: "NDArray[np.float32] | None" = None
    model: str = ""
    late: tuple[Lane, ...] = ()
    failures: tuple[str, ...] = ()


class Making:
    """Makes the lanes of one occasion in two threads, one of which waits for the store, the other for the model."""

    def __init__(
        self, views: Views, embedder: "Callable[[], Embedding]", switched: tuple[Lane, ...], text: str
    ) -> None:
        self.done = threading.Event()
        self._views, self._embedder, self._switched, self._text = views, embedder, switched, text
        self._told: Future[Occasion | None] = Future()
        self._lock = threading.Lock()
        self._made = Made(late=switched)

    def start(self, at_end: Callable[[], None]) -> None:
        """Begins; `at_end` is called when both threads have ended, however late."""
        # No daemon: a process that ends while native code runs in one is aborted. What a model does has an end.
        model = threading.Thread(target=self._try, args=(self._embed,))

        def work() -> None:
            try:
                self._try(lambda: self._make(model))
                self.done.set()
                model.join()
            finally:
                at_end()

        model.start()
        threading.Thread(target=work, daemon=True).start()

    def tell(self, occasion: Occasion | None) -> None:
        """Tells the occasion, or that there will be none; the first that is told counts."""
        with suppress(InvalidStateError):
            self._told.set_result(occasion)

    def so_far(self) -> Made:
        """Returns what stands now."""
        with self._lock:
            return self._made

    def _make(self, model: threading.Thread) -> None:
        view = self._views.view()
        occasion = self._told.result(OCCASION_WAIT_S)
        if occasion is None:
            return
        eligible = Eligible(view, occasion)
        # Edges are followed at the end, from whatever the others have found by then.
        waiting = tuple(lane for lane in self._switched if lane != "edges")
        self._keep(view=view, eligible=eligible, late=waiting)
        text, day = self._text[:TEXT_CHARS_MAX], occasion.moment.date()
        self._lane("this_day", lambda: lanes.this_day(view, eligible, day))
        reply, afterglow = occasion.reply[-TEXT_CHARS_MAX:], _afterglow(view, occasion)
        self._lane("afterglow", lambda: lanes.resembling(view, eligible, reply, afterglow, self._floor("afterglow")))
        model.join()
        vector = self._vector(view)
        self._lane("message", lambda: lanes.resembling(view, eligible, text, vector, self._floor("message")))
        self._lane("context", lambda: lanes.context(view, eligible, text, vector, self._floor("context")))

    def _floor(self, lane: str) -> float:
        try:
            return lanes.floor_of(self._embedder().floors, lane)
        except (ModelMissing, ModelDamaged):  # told by the other thread
            return lanes.NO_FLOOR

    def _embed(self) -> None:
        if self._text:
            model = self._embedder()
            vector = model.query(self._text)
            self._keep(vector=vector, model=model.id)

    def _vector(self, view: MemoryView) -> "NDArray[np.float32] | None":
        made = self.so_far()
        return made.vector if made.model == view.model else None

    def _lane(self, lane: Lane, find: Callable[[], Found]) -> None:
        if lane not in self._switched:
            return
        self._try(lambda: self._keep(found={**self._made.found, lane: find()}))
        self._keep(late=tuple(late for late in self._made.late if late != lane))

    def _keep(self, **changes: Any) -> None:
        with self._lock:
            self._made = replace(self._made, **changes)

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001 (one lane that fails takes no other with it)
            self._keep(failures=(*self._made.failures, told(error)))


def _afterglow(view: MemoryView, occasion: Occasion) -> "NDArray[np.float32] | None":
    """The vector of the last answer, of length 1; None when it is of another model."""
    import numpy as np

    raw = np.array(occasion.afterglow, np.float32)
    length = float(np.linalg.norm(raw))
    if occasion.afterglow_model != view.model or raw.shape != view.mean.shape or not length:
        return None
    return raw / np.float32(length)


def told(error: Exception) -> str:
    """Says what failed: our own errors in their words, others by their kind, for they may hold what was said."""
    return str(error) if isinstance(error, ParameciumError) else type(error).__name__
