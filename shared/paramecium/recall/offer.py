"""Makes the menu of an occasion, within a time: what comes late stays away (the door to the lanes).

Knows which lane needs what and how long all may take; the lanes themselves are pure. Invariant: `offer` never raises
and never takes longer than its time, whatever store or model do; a preview or a real menu writes nothing.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from paramecium.memories.tokens import estimated_tokens
from paramecium.memories.view import MemoryView
from paramecium.recall import lane_fusion, lanes
from paramecium.recall.eligible import Eligible
from paramecium.recall.menu import Menu, Occasion, fitting, line_of
from paramecium.recall.offer_making import Made, Making, Views, told
from paramecium.settings import Settings

if TYPE_CHECKING:
    from paramecium.index.embedder import Embedding

TIMEOUT_S: Final = 0.8
AT_WORK_MAX: Final = 4


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
        return self.begin(occasion.text).offer(occasion, timeout_s)

    def begin(self, text: str) -> "Begun":
        """Begins with what the words alone tell, while the rest of the occasion is still being read. Never raises.

        Whoever begins ends it, by `offer` or by `drop`.
        """
        if not self._room.acquire(blocking=False):
            return Begun(self, None)
        try:
            making = Making(self._views, self._embedder, self._settings.lanes, text)
            making.start(self._room.release)
        except Exception as error:  # noqa: BLE001 (a failing memory never stops a talk)
            self._room.release()
            self._warn(f"the menu stays empty: {told(error)}")
            return Begun(self, None)
        return Begun(self, making)

    def finish(self, making: Making | None, occasion: Occasion, timeout_s: float | None) -> Menu:
        """Returns the menu of what was begun; the time a turn waits runs from here. Never raises."""
        try:
            moment = occasion.moment.astimezone(ZoneInfo(self._settings.timezone))
            wait_s = self._timeout_s if timeout_s is None else timeout_s
            return self._finished(making, replace(occasion, moment=moment), wait_s)
        except Exception as error:  # noqa: BLE001 (a failing memory never stops a talk)
            self._warn(f"the menu stays empty: {told(error)}")
            return Menu()

    def _finished(self, making: Making | None, occasion: Occasion, timeout_s: float) -> Menu:
        if making is None:
            self._warn("the menu stays empty: four others are still waiting for a store or a model")
            return Menu(late=self._settings.lanes)
        making.tell(occasion)
        in_time = making.done.wait(timeout_s)
        made = making.so_far()
        late = () if in_time else made.late
        for failure in made.failures:
            self._warn(f"part of the menu stays empty: {failure}")
        if late:
            self._warn(f"the menu did not wait for {', '.join(late)}")
        menu = Menu(context=made.vector, model=made.model, late=late)
        return menu if made.view is None else self._written(menu, made, made.view, occasion)

    def _written(self, menu: Menu, made: Made, view: MemoryView, occasion: Occasion) -> Menu:
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
class Begun:
    """Is a menu in the making, until its occasion is known."""

    menus: Menus
    making: Making | None

    def offer(self, occasion: Occasion, timeout_s: float | None = None) -> Menu:
        """Returns the menu; never raises. The occasion's text is the one it was begun with."""
        try:
            return self.menus.finish(self.making, occasion, timeout_s)
        finally:
            self.drop()

    def drop(self) -> None:
        """Lets what was begun end without an occasion."""
        if self.making is not None:
            self.making.tell(None)
