"""Makes the menu of an occasion, within a time: what comes late stays away (the door to the lanes).

Knows which lane needs what and how long all may take; the lanes themselves are pure. Invariant: `offer` never raises
and never takes longer than its time, whatever store or model do; a preview or a real menu writes nothing.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol
from zoneinfo import ZoneInfo

from paramecium import clock
from paramecium.errors import ModelDamaged, ModelMissing, ParameciumError
from paramecium.memories.tokens import estimated_tokens
from paramecium.memories.view import MemoryView
from paramecium.recall import lane_fusion, lanes
from paramecium.recall.eligible import Eligible
from paramecium.recall.lanes import Found
from paramecium.recall.menu import Menu, Occasion, fitting, line_of
from paramecium.settings import Lane, Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.embedder import Embedding

TIMEOUT_S: Final = 0.8
AT_WORK_MAX: Final = 4
TEXT_CHARS_MAX: Final = 4000


class Views(Protocol):
    """Is what a life's memories are read from."""

    def view(self) -> MemoryView:
        """Returns the memories as they stand now."""
        ...


class Menus:
    """Offers the menus of one life; several turns may ask at once.

    At most four occasions are at work at a time: where a store hangs, further ones get an empty menu at once.
    """

    def __init__(
        self,
        views: Views,
        embedder: "Callable[[], Embedding]",
        settings: Settings,
        warn: Callable[[str], None] = lambda _: None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._views, self._embedder, self._settings = views, embedder, settings
        self._warn, self._timeout_s = warn, timeout_s
        self._room = threading.BoundedSemaphore(AT_WORK_MAX)

    def offer(self, occasion: Occasion, timeout_s: float | None = None) -> Menu:
        """Returns the menu of an occasion; an empty one, with a line in the log, when anything fails. Never raises.

        `timeout_s` replaces the time a turn waits.
        """
        try:
            moment = occasion.moment.astimezone(ZoneInfo(self._settings.timezone))
            return self._offer(replace(occasion, moment=moment), self._timeout_s if timeout_s is None else timeout_s)
        except Exception as error:  # noqa: BLE001 (a failing memory never stops a talk)
            self._warn(f"the menu stays empty: {told(error)}")
            return Menu()

    def _offer(self, occasion: Occasion, timeout_s: float) -> Menu:
        late_at = clock.monotonic_s() + timeout_s
        if not self._room.acquire(blocking=False):
            self._warn("the menu stays empty: four others are still waiting for a store or a model")
            return Menu(late=self._settings.lanes)
        making = _Making(self._views, self._embedder, self._settings.lanes, occasion)
        making.start(self._room.release)
        in_time = making.done.wait(max(0.0, late_at - clock.monotonic_s()))
        made = making.so_far()
        late = () if in_time else made.late
        for failure in made.failures:
            self._warn(f"part of the menu stays empty: {failure}")
        if late:
            self._warn(f"the menu did not wait for {', '.join(late)}")
        menu = Menu(context=made.vector, model=made.model, late=late)
        return menu if made.view is None else self._written(menu, made, made.view, occasion)

    def _written(self, menu: Menu, made: "_Made", view: MemoryView, occasion: Occasion) -> Menu:
        today = occasion.moment.date()
        places = {lane: lane_fusion.ranked(view, found, lane) for lane, found in made.found.items()}
        if "edges" in self._settings.lanes:
            recalled = [p for ident in reversed(occasion.recalled) if (p := view.position.get(ident)) is not None]
            admitted = (p for of_lane in places.values() for p in of_lane)
            next_to = lanes.edges(view, made.eligible or Eligible(view, occasion), (*recalled, *admitted))
            places["edges"] = lane_fusion.ranked(view, next_to, "edges")
        chosen = lane_fusion.fused(view, places, today.toordinal())
        notes = ((view.memories[c.position].note, c) for c in chosen)
        lines = (line_of(n.id, n.content, n.date, c.lanes, c.score) for n, c in notes)
        taken, text = fitting(lines, today, self._settings.language, occasion.room)
        return replace(menu, lines=taken, text=text, tokens=estimated_tokens(text))


@dataclass(frozen=True, slots=True)
class _Made:
    """Is what stands when the time is up."""

    view: MemoryView | None = None
    eligible: Eligible | None = None
    found: Mapping[Lane, Found] = field(default_factory=dict)
    vector: "NDArray[np.float32] | None" = None
    model: str = ""
    late: tuple[Lane, ...] = ()
    failures: tuple[str, ...] = ()


class _Making:
    """Makes the lanes of one occasion in two threads, one of which waits for the store, the other for the model."""

    def __init__(
        self, views: Views, embedder: "Callable[[], Embedding]", switched: tuple[Lane, ...], occasion: Occasion
    ) -> None:
        self.done = threading.Event()
        self._views, self._embedder, self._switched, self._occasion = views, embedder, switched, occasion
        self._lock = threading.Lock()
        self._made = _Made(late=switched)

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

    def so_far(self) -> _Made:
        """Returns what stands now."""
        with self._lock:
            return self._made

    def _make(self, model: threading.Thread) -> None:
        view = self._views.view()
        eligible = Eligible(view, self._occasion)
        # Edges are followed at the end, from whatever the others have found by then.
        waiting = tuple(lane for lane in self._switched if lane != "edges")
        self._keep(view=view, eligible=eligible, late=waiting)
        text, day = self._occasion.text[:TEXT_CHARS_MAX], self._occasion.moment.date()
        self._lane("this_day", lambda: lanes.this_day(view, eligible, day))
        reply, afterglow = self._occasion.reply[-TEXT_CHARS_MAX:], self._afterglow(view)
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
        if self._occasion.text:
            model = self._embedder()
            vector = model.query(self._occasion.text)
            self._keep(vector=vector, model=model.id)

    def _vector(self, view: MemoryView) -> "NDArray[np.float32] | None":
        made = self.so_far()
        return made.vector if made.model == view.model else None

    def _afterglow(self, view: MemoryView) -> "NDArray[np.float32] | None":
        """The vector of the last answer, of length 1; None when it is of another model."""
        import numpy as np

        raw = np.array(self._occasion.afterglow, np.float32)
        length = float(np.linalg.norm(raw))
        if self._occasion.afterglow_model != view.model or raw.shape != view.mean.shape or not length:
            return None
        return raw / np.float32(length)

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


def told(error: Exception) -> str:
    """Says what failed: our own errors in their words, others by their kind, for they may hold what was said."""
    return str(error) if isinstance(error, ParameciumError) else type(error).__name__
