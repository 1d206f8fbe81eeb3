"""The memories of one moment, ready to be searched: the state, and beside it vectors, words and days.

A value: whoever loads or folds makes a new one (see `views`). Positions number the memories in the order they were
added; everything here is aligned to them. Invariant: a memory without a vector is found by words all the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paramecium.memories.state import Memory, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paramecium.index.words import Scan


@dataclass(frozen=True, slots=True)
class Scanned:
    """Is a scan over the folded `content`, a line break and `quote` of the memories from position `first` on."""

    scan: "Scan"
    first: int


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Is what can be found of the memories; N memories, of which M have a vector, and K moments with one.

    `live` (N) is false for what is superseded, retired, or off its conversation's path. `day`, `valid_from` and
    `valid_until` (N) are ordinals of dates, 0 for none. `rows` (M, dims) are int8, centred with the model's own mean;
    `row_of` (M) gives each row's position. A query is centred with `mean` (dims), that of these memories. `moment_rows`
    (K, dims) are int8, not centred; `moment_memories` gives the positions each moment opened, best first.
    `days` maps a day's mark (see `day_marks`) to positions, `edges` a position to those it was recalled next to, with
    how often. `damaged` says that the snapshot could not be read and the events alone made this.
    """

    state: State
    memories: tuple[Memory, ...]
    live: "NDArray[np.bool_]"
    day: "NDArray[np.int32]"
    valid_from: "NDArray[np.int32]"
    valid_until: "NDArray[np.int32]"
    model: str
    mean: "NDArray[np.float32]"
    rows: "NDArray[np.int8]"
    row_of: "NDArray[np.int64]"
    scans: tuple[Scanned, ...]
    days: Mapping[str, tuple[int, ...]]
    moment_rows: "NDArray[np.int8]"
    moment_memories: tuple[tuple[int, ...], ...]
    edges: Mapping[int, tuple[tuple[int, int], ...]]
    position: Mapping[str, int] = field(default_factory=dict)
    damaged: bool = False

    def holding(self, position: int) -> int:
        """Returns the position of the memory that holds in the place of a superseded one, else the position itself."""
        if self.live[position]:
            return position
        memory = self.state.holding(self.memories[position])
        return position if memory is None else self.position[memory.note.id]
