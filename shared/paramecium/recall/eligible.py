"""Which memories may be offered on an occasion at all (pure).

Left out are those that do not hold (any more, or yet), those the person's talk has brought up already, and those whose
very words stand before the model. Invariant: what is left out is left out of every lane.
"""

from typing import TYPE_CHECKING

from paramecium.memories.view import MemoryView
from paramecium.recall.menu import Occasion

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray


class Eligible:
    """Knows of each position of a view whether its memory may be offered; `today` is an ordinal.

    `present` (N) is true for what holds today and is not known yet; `past` (N) also lies in no future.
    """

    def __init__(self, view: MemoryView, occasion: Occasion) -> None:
        self._view, self._occasion = view, occasion
        self.today = occasion.moment.date().toordinal()
        present = view.live & (view.valid_from <= self.today)
        present[[p for ident in occasion.known if (p := view.position.get(ident)) is not None]] = False
        self.present: NDArray[bool_] = present
        self.past: NDArray[bool_] = present & (view.day <= self.today)

    def unseen(self, position: int) -> bool:
        """Tells whether the words a memory stands on are not before the model already, and were not taken back.

        Of the very conversation a memory is left out when its message stands in the transcript, or on another branch:
        who says a thing anew is not shown how it was said before. Of another one it is when its quote is there.
        """
        note, seen = self._view.memories[position].note, self._occasion.seen
        if note.conversation == self._occasion.conversation and note.message in self._occasion.aside:
            return False
        spans = seen.get((note.conversation, note.message))
        if spans is None:
            return True
        if note.conversation == self._occasion.conversation:
            return False
        return not any(start <= note.start and note.end <= end for start, end in spans)
