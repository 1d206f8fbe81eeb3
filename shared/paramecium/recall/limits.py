"""Which messages a query may find: those of some days, of one conversation, and not what the asker sees already."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.segment import Segment


@dataclass(frozen=True, slots=True)
class Limits:
    """Is the span of days (both ends belong to it), the one conversation, and the one left out."""

    after: date | None = None
    before: date | None = None
    conversation: str | None = None
    besides: str | None = None

    @property
    def days(self) -> tuple[int, int] | None:
        """Returns first and last day as ordinals, or None when every message is allowed, those without date too."""
        if self.after is None and self.before is None:
            return None
        return (self.after or date.min).toordinal(), (self.before or date.max).toordinal()

    def allow(self, conversation: str, day: int) -> bool:
        """Tells whether a message may be found; one without a date is in no span of days."""
        days = self.days
        if self.conversation not in (None, conversation) or conversation == self.besides:
            return False
        return days is None or days[0] <= day <= days[1]

    def rows(self, segment: "Segment") -> "NDArray[np.int64] | None":
        """Returns the positions of the segment's passages that may be found, or None for all of them."""
        import numpy as np

        keep: NDArray[np.bool_] | None = None
        if self.days is not None:
            keep = (segment.day >= self.days[0]) & (segment.day <= self.days[1])
        for conversation, wanted in ((self.conversation, True), (self.besides, False)):
            if conversation is None:
                continue
            within = segment.messages_of(conversation)
            mask = np.full(len(segment.conv), not wanted)
            mask[within.start : within.stop] = wanted
            keep = mask if keep is None else keep & mask
        return None if keep is None or keep.all() else np.flatnonzero(keep[segment.message])
