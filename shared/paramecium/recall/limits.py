"""Which messages a query may find: of some days, of one conversation, not those the asker sees, nor dead ones."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from paramecium.recall.ranking import Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.segment import Segment


@dataclass(frozen=True, slots=True)
class Limits:
    """Is the span of days (both ends belong to it), the one conversation, and the one left out from a number on.

    `dead` are conversations that nobody is to find.
    """

    after: date | None = None
    before: date | None = None
    conversation: str | None = None
    besides: str | None = None
    besides_from: int = 0
    dead: Collection[str] = ()

    @property
    def days(self) -> tuple[int, int] | None:
        """Returns first and last day as ordinals, or None when every message is allowed, those without date too."""
        if self.after is None and self.before is None:
            return None
        return (self.after or date.min).toordinal(), (self.before or date.max).toordinal()

    def allow(self, place: Place, day: int) -> bool:
        """Tells whether a message may be found; one without a date is in no span of days."""
        conversation, n = place
        days = self.days
        if self.conversation not in (None, conversation) or (conversation == self.besides and n >= self.besides_from):
            return False
        if conversation in self.dead:
            return False
        return days is None or days[0] <= day <= days[1]

    def spans(self, segment: "Segment") -> Iterator[range]:
        """Yields the runs of passages that are neither elsewhere nor seen already.

        A conversation's passages stand together, by number. The dead are among them.
        """
        whole = range(len(segment.message))
        if self.conversation is not None:
            whole = _passages(segment, segment.messages_of(self.conversation))
        left_out = _passages(segment, self.left_out(segment))
        if not left_out:
            yield whole
        else:
            yield range(whole.start, max(whole.start, min(whole.stop, left_out.start)))
            yield range(min(whole.stop, max(whole.start, left_out.stop)), whole.stop)

    def left_out(self, segment: "Segment") -> range:
        """Returns the positions of the segment's messages that the asker sees already."""
        if self.besides is None:
            return range(0)
        within = segment.messages_of(self.besides)
        numbers = segment.n[within.start : within.stop]
        return range(within.start + int((numbers < self.besides_from).sum()), within.stop)

    def dead_messages(self, segment: "Segment") -> list[int]:
        """Returns the positions of the segment's messages that nobody is to find."""
        return [m for conversation in self.dead for m in segment.messages_of(conversation)]

    def of_days(self, segment: "Segment", span: range) -> "NDArray[np.int64] | None":
        """Returns the positions of a run's passages whose days are allowed, or None for all of them."""
        import numpy as np

        if self.days is None:
            return None
        keep = (segment.day >= self.days[0]) & (segment.day <= self.days[1])
        return np.flatnonzero(keep[segment.message[span.start : span.stop]]) + span.start


def _passages(segment: "Segment", messages: range) -> range:
    kind = segment.message.dtype.type
    start, stop = (int(segment.message.searchsorted(kind(m))) for m in (messages.start, messages.stop))
    return range(start, stop)
