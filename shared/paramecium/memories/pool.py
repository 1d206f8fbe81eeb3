"""Many texts as three arrays: each distinct text once, named by a number, so that columns of texts are numbers.

Texts of plain ASCII without a line break stand in one part and are cut at line breaks; the others stand in UTF-8 (lone
surrogates passed), cut where `ends` says, in code points. Knows nothing of what the texts mean. Pure.
Invariant: every text comes back character for character, and None as None.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

from paramecium.errors import Damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

DTYPES: Final = {"pool.plain": "<u1", "pool.texts": "<u1", "pool.ends": "<u4"}
NONE: Final = 2**32 - 1
_TEXTS: Final = 2**31


class PoolWriter:
    """Gives each text its number."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._plain: list[str] = []
        self._texts: list[str] = []

    def column(self, texts: Iterable[str | None]) -> NDArray[Any]:
        """Returns the numbers (u4) of the texts, in order."""
        import numpy as np

        return np.array([NONE if text is None else self._place(text) for text in texts], "<u4")

    def sections(self) -> dict[str, NDArray[Any]]:
        """Returns the arrays of all texts that were named."""
        import numpy as np

        plain = "".join(f"{text}\n" for text in self._plain).encode("ascii")
        texts = "".join(self._texts).encode("utf-8", "surrogatepass")
        ends = np.array(list(accumulate(map(len, self._texts))), "<u4")
        return {"pool.plain": np.frombuffer(plain, "<u1"), "pool.texts": np.frombuffer(texts, "<u1"), "pool.ends": ends}

    def _place(self, text: str) -> int:
        place = self._places.get(text)
        if place is None:
            is_plain = text.isascii() and "\n" not in text
            part = self._plain if is_plain else self._texts
            place = self._places[text] = len(part) + (0 if is_plain else _TEXTS)
            part.append(text)
        return place


class Pool:
    """Gives texts back by their numbers."""

    def __init__(self, sections: dict[str, NDArray[Any]], key: str) -> None:
        """Reads the arrays; raises Damaged naming `key` when they are none."""
        try:
            plain = str(sections["pool.plain"].data, "ascii").split("\n")
            texts = str(sections["pool.texts"].data, "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise Damaged(f"{key}: its texts cannot be read: {error.reason}") from error
        self._key, self._plain_count = key, len(plain) - 1
        cut: list[str | None] = [texts[a:b] for a, b in pairwise((0, *sections["pool.ends"].tolist()))]
        self._all: list[str | None] = [*plain[:-1], *cut, None]

    def strings(self, numbers: NDArray[Any]) -> list[Any]:
        """Returns the texts (or None) of the numbers, in order; raises Damaged for one that names none."""
        import numpy as np

        places = numbers.astype(np.int64)
        places[numbers >= _TEXTS] += self._plain_count - _TEXTS
        places[numbers == NONE] = len(self._all) - 1
        if not places.size:
            return []
        first, last = int(places[0]), int(places[-1])
        if int(places.max()) >= len(self._all):
            raise Damaged(f"{self._key}: a text that is not there")
        if first == last and (places == first).all():
            return [self._all[first]] * len(places)
        if last - first + 1 == len(places) and (places[1:] - places[:-1] == 1).all():
            return self._all[first : last + 1]
        return list(map(self._all.__getitem__, places.tolist()))
