"""Finds many pairs of neighbouring characters in one long text at once: 64 of them about as fast as five one by one.

Knows a text as arrays of code points, six bytes a character. Only those places are looked at whose two characters
begin and end some pair, by the low half of a code point first, for a small table is read faster.
Invariant: pairs that overlap are all found: 哈哈 is twice in 哈哈哈.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

_LOW: Final = 0xFFFF
_FIRST_BITS: Final = 32


class Pairs:
    """Searches one text; lone surrogates are characters like any other."""

    def __init__(self, text: str) -> None:
        import numpy as np

        self._codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self._low = (self._codes & _LOW).astype(np.uint16)

    def find(self, pairs: Sequence[str]) -> "tuple[NDArray[int64], NDArray[int64]]":
        """Returns where in the text any of `pairs` stands, ascending, and which of them stands there.

        `pairs` are distinct, sorted, and of two characters each.
        """
        import numpy as np

        codes, wanted = self._codes, [(ord(pair[0]), ord(pair[1])) for pair in pairs]
        begins, ends = np.zeros(_LOW + 1, np.bool_), np.zeros(_LOW + 1, np.bool_)
        begins[[first & _LOW for first, _ in wanted]] = True
        ends[[second & _LOW for _, second in wanted]] = True
        places = np.flatnonzero(begins[self._low[:-1]])
        places = places[ends[self._low[places + 1]]]
        keys = np.array([first << _FIRST_BITS | second for first, second in wanted], np.uint64)
        found = codes[places].astype(np.uint64) << np.uint64(_FIRST_BITS) | codes[places + 1]
        which = np.searchsorted(keys, found)
        exact = keys[np.minimum(which, len(keys) - 1)] == found
        return places[exact], which[exact]
