"""The scripted persona: which of the listed notes the reply that was really given shows to have been remembered (pure).

A model would read the menu and open what it needs. The replies of a life that was lived stand already, so the persona
opens what they show: a listed note that shares two rare marks (characters, pairs of them, words) with the reply, though
the person had not said them in this message (else the reply repeats the person and remembers nothing). Rare is what
stands in at most `RARE_MAX` of the texts of the whole life.
Invariant: the same menu and the same reply open the same notes, and the persona knows nothing of lanes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

RARE_MAX: Final = 12
SHARED_MIN: Final = 2
OPENED_MAX: Final = 3
_RUNS = re.compile("[\u3400-\u9fff]+")
_WORDS = re.compile("[a-z0-9]{2,}")


class Persona:
    """Opens notes of one life: `contents` are those of every note that will be listed, by id; `said` is every text."""

    def __init__(self, contents: Mapping[str, str], said: Iterable[str]) -> None:
        self._marks = {ident: marks(content) for ident, content in contents.items()}
        self._texts = Counter(mark for text in said for mark in marks(text))

    def opens(self, listed: Sequence[str], text: str, reply: str) -> tuple[str, ...]:
        """Returns the ids it opens, the one that shares most with the reply first, at most three."""
        shown = {mark for mark in marks(reply) - marks(text) if self._texts[mark] <= RARE_MAX}
        shared = {ident: len(self._marks.get(ident, frozenset()) & shown) for ident in listed}
        told = [ident for ident in listed if shared[ident] >= SHARED_MIN]
        return tuple(sorted(told, key=lambda ident: -shared[ident])[:OPENED_MAX])


def marks(text: str) -> frozenset[str]:
    """Returns the Chinese characters, the pairs of them side by side, and the Latin words and numbers of a text."""
    runs = _RUNS.findall(text)
    pairs = (run[i : i + 2] for run in runs for i in range(len(run) - 1))
    return frozenset("".join(runs)) | frozenset(pairs) | frozenset(_WORDS.findall(text.lower()))
