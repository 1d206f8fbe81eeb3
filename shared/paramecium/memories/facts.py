"""Which of the facts written by hand belong beside the words of a turn.

Pure: the day comes as an argument. Knows what makes a fact active and what brings it up.
Invariant: a fact that was given with the same text is not given again, and what waits for its turn comes later.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from paramecium.index.fold import fold
from paramecium.memories.documents import Document, beginning

FACTS_MAX: Final = 10
CHARS_MAX: Final = 1_000
_MARK: Final = {"zh": "事实", "en": "fact"}


def active(facts: Sequence[Document], today: date) -> tuple[Document, ...]:
    """Returns the facts that are neither resolved nor expired; the day a fact expires still counts."""
    day = today.isoformat()
    return tuple(f for f in facts if not f.meta.get("resolved") and str(f.meta.get("expires", day)) >= day)


def matched(facts: Sequence[Document], words: str, today: date, given: Mapping[str, str]) -> tuple[Document, ...]:
    """Returns the active facts to give now, at most 10: those whose keyword the words hold, then all that need none.

    A fact needs none with `always`, or where it has no keywords. `given` maps the paths of facts that stand before the
    model to their sha256. Both sides are folded, so 龍井 is found by 龙井.
    """
    folded = fold(words)
    ranked = [(rank, f) for f in active(facts, today) if (rank := _rank(f, folded)) is not None]
    new = [(rank, f) for rank, f in ranked if given.get(f.path) != f.sha256 and f.text.strip()]
    return tuple(f for _, f in sorted(new, key=lambda pair: (pair[0], pair[1].path))[:FACTS_MAX])


def fact_text(fact: Document, language: str) -> str:
    """Returns a fact as it is given, under its name: [事实 茶] and its text, cut at 1,000 characters."""
    name = fact.path.partition("/")[2].rpartition(".")[0]
    return f"[{_MARK[language]} {name}] {beginning(fact.text, CHARS_MAX)}"


def _rank(fact: Document, folded: str) -> int | None:
    keywords = fact.meta.get("keywords") or ()
    if any(fold(word) in folded for word in keywords):
        return 0
    return 1 if fact.meta.get("always") or not keywords else None
