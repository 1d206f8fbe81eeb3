"""Windows: the passages around a hit along the path of its conversation, word for word (pure).

Invariant: a window's pieces are slices of messages, in the order they were said, neighbours without a gap between
them, and all together at most 700 characters unless the hit alone is longer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paramecium.index.passages import passages
from paramecium.index.said import Said

WINDOW_CHARS_MAX = 700


@dataclass(frozen=True, slots=True)
class Piece:
    """Is a slice of one message: characters `start` to `end` of the message `said`."""

    said: Said
    start: int
    end: int

    @property
    def text(self) -> str:
        """Returns the words of the slice, not one character changed."""
        return self.said.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Window:
    """Is what is given back for a hit; `date` is YYYY-MM-DD of the hit, empty when unknown."""

    conversation: str
    title: str
    date: str
    score: float
    pieces: tuple[Piece, ...]
    other_branch: bool = False

    @property
    def text(self) -> str:
        """Returns the characters of the pieces, one piece after the other."""
        return "".join(p.text for p in self.pieces)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Is one passage on the path: which message of the path, which of its passages, from where to where."""

    at: int
    start: int
    end: int


def around(path: Sequence[int], at: int, start: int, end: int, said: Callable[[int], Said]) -> tuple[Piece, ...]:
    """Returns the pieces around characters `start` to `end` of the message at position `at` of `path`.

    `path` holds message numbers, `said` reads one. The window grows passage by passage, first onward, then back, and
    goes on at whichever side still fits.
    """
    walk = _Walk(path, said)
    first, last = walk.covering(at, start, end)
    size = sum(s.end - s.start for s in walk.between(first, last))
    onward, back = True, True
    while onward or back:
        if onward:
            step = walk.after(last)
            onward = step is not None and size + step.end - step.start <= WINDOW_CHARS_MAX
            if step is not None and onward:
                last, size = step, size + step.end - step.start
        if back:
            step = walk.before(first)
            back = step is not None and size + step.end - step.start <= WINDOW_CHARS_MAX
            if step is not None and back:
                first, size = step, size + step.end - step.start
    return walk.pieces(first, last)


class _Walk:
    """Goes from passage to passage along a path, reading only the messages it comes to."""

    def __init__(self, path: Sequence[int], said: Callable[[int], Said]) -> None:
        self._path = path
        self._said = said
        self._read: dict[int, tuple[Said, list[_Spot]]] = {}

    def _message(self, at: int) -> tuple[Said, list[_Spot]]:
        if at not in self._read:
            said = self._said(self._path[at])
            self._read[at] = said, [_Spot(at, a, b) for a, b in passages(said.text)]
        return self._read[at]

    def covering(self, at: int, start: int, end: int) -> tuple[_Spot, _Spot]:
        spots = [s for s in self._message(at)[1] if s.start < end and s.end > start]
        return (spots[0], spots[-1]) if spots else (_Spot(at, start, end), _Spot(at, start, end))

    def after(self, spot: _Spot) -> _Spot | None:
        behind = [s for s in self._message(spot.at)[1] if s.start >= spot.end]
        at = spot.at
        while not behind and at + 1 < len(self._path):
            at += 1
            behind = self._message(at)[1]
        return behind[0] if behind else None

    def before(self, spot: _Spot) -> _Spot | None:
        ahead = [s for s in self._message(spot.at)[1] if s.end <= spot.start]
        at = spot.at
        while not ahead and at > 0:
            at -= 1
            ahead = self._message(at)[1]
        return ahead[-1] if ahead else None

    def between(self, first: _Spot, last: _Spot) -> list[_Spot]:
        spots = [first]
        while spots[-1] != last:
            step = self.after(spots[-1])
            if step is None:
                break
            spots.append(step)
        return spots

    def pieces(self, first: _Spot, last: _Spot) -> tuple[Piece, ...]:
        out: list[Piece] = []
        for at in range(first.at, last.at + 1):
            said, _ = self._message(at)
            start = first.start if at == first.at else 0
            end = last.end if at == last.at else len(said.text)
            if end > start:
                out.append(Piece(said, start, end))
        return tuple(out)
