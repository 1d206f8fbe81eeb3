"""What stands before the model already, from the stored entries of a path: what need not be said again.

Pure. Knows the form of `given` and of recalled results; gets the entries as they are stored, with references in place.
Invariant: what is not understood counts as not known, so that at worst a thing is said twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from paramecium.chat.rounds import recalled_parts
from paramecium.memories.tokens import estimated_tokens
from paramecium.messages import Entry, Json

# Of a talk of few words a small share and something free, of a long one a larger share: either way less than 15 % of
# what 200 turns say.
GIVEN_SHARE: Final = 0.14
FREE_SHARE: Final = 0.08
FREE_TOKENS: Final = 150

Spans = Mapping[tuple[str, str], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Known:
    """Is what stands in a transcript.

    `listed` are memories on a menu of this path, `recalled` those opened on it, newest last; `seen` maps (conversation,
    message) to the spans of it that can be read here, `facts` the path of each fact to the sha256 last given. `given`
    and `words` are the estimated tokens of what was placed beside the words, and of the words.
    """

    listed: frozenset[str] = frozenset()
    recalled: tuple[str, ...] = ()
    seen: Spans = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    given: int = 0
    words: int = 0

    @property
    def room(self) -> int:
        """Returns how many tokens the next menu may take: all of it is sent again with every turn to come."""
        whole = self.given + self.words
        return max(0, int(max(FREE_TOKENS + FREE_SHARE * whole, GIVEN_SHARE * whole)) - self.given)


def known_of(conversation: str, path: Sequence[Entry]) -> Known:
    """Returns what stands in the transcript of a path, whose entries are as they were stored."""
    listed: set[str] = set()
    recalled: dict[str, None] = {}
    seen: dict[tuple[str, str], list[tuple[int, int]]] = {}
    facts: dict[str, str] = {}
    given = words = 0
    for entry in path:
        given += estimated_tokens(str((entry.given or {}).get("text", "")))
        words += estimated_tokens(entry.text)
        seen.setdefault((conversation, entry.id), []).append((0, len(entry.text)))
        listed |= {str(line.get("id")) for line in _objects(entry.given, "menu")}
        facts |= {str(fact.get("path")): str(fact.get("sha256")) for fact in _objects(entry.given, "facts")}
        for part in recalled_parts(entry.rounds):
            message, start, end = part["message"], part["start"], part["end"]
            seen.setdefault((part["conversation"], message), []).append((start, end))
            if "memory" in part:
                recalled.pop(str(part["memory"]), None)
                recalled[str(part["memory"])] = None
    spans = {at: tuple(of_message) for at, of_message in seen.items()}
    return Known(frozenset(listed), tuple(recalled), spans, facts, given, words)


def _objects(given: Json | None, name: str) -> Iterator[Mapping[str, Any]]:
    values = (given or {}).get(name)
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())
