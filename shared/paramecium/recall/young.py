"""Messages that no full text covers yet, searched by going through their folded texts.

Invariant: a message is either covered by the full text or in exactly one young part, never in both.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paramecium.index.fold import fold
from paramecium.index.fulltext import FullText
from paramecium.index.said import Said
from paramecium.index.segment import Segment
from paramecium.index.words import Scan
from paramecium.recall.ranking import Place


@dataclass(frozen=True, slots=True)
class Young:
    """Is a scan over some messages, with the place and day of each document."""

    scan: Scan
    places: tuple[Place, ...]
    days: tuple[int, ...]


class YoungParts:
    """Keeps the scans of segments: folding their texts anew for every query would cost more than all the rest."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Young] = {}
        self._lock = threading.Lock()

    def of(
        self, segments: Sequence[Segment], fulltext: FullText | None, key: str, fresh: Iterable[Said]
    ) -> list[Young]:
        """Returns the young parts of segments under a full text (`key` names it, "" for none), and of what is fresh."""
        with self._lock:
            kept = {(s.ulid, key): self._kept.get((s.ulid, key)) or _of_segment(s, fulltext) for s in segments}
            self._kept = kept
        parts = [young for young in kept.values() if young.places]
        saids = list(fresh)
        if saids:
            parts.append(_young([(s.conversation, s.n, s.day, s.text) for s in saids]))
        return parts


def _of_segment(segment: Segment, fulltext: FullText | None) -> Young:
    import numpy as np

    covered = fulltext.covered if fulltext else {}
    ends = np.array([covered.get(c, 0) for c in segment.conversations], np.int64)
    young = np.flatnonzero(segment.n >= ends[segment.conv]).tolist()
    if len(young) * 2 > len(segment.n):
        texts: Mapping[int, str] | None = dict(enumerate(segment.texts()))
    else:
        texts = None
    return _young([_message(segment, m, segment.text(m) if texts is None else texts[m]) for m in young])


def _message(segment: Segment, m: int, text: str) -> tuple[str, int, int, str]:
    return segment.conversations[int(segment.conv[m])], int(segment.n[m]), int(segment.day[m]), text


def _young(messages: Sequence[tuple[str, int, int, str]]) -> Young:
    """Documents stand in the order of their days, so that newest first is from the last to the first."""
    ordered = sorted(messages, key=lambda m: (m[2], m[0], m[1]))
    scan = Scan(fold(text) for _, _, _, text in ordered)
    return Young(scan, tuple((c, n) for c, n, _, _ in ordered), tuple(d for _, _, d, _ in ordered))
