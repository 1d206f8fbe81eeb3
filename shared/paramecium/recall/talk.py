"""One conversation as the index knows it: which messages it has, how they hang together, and what it is called (pure).

Knows numbers and ids, no words but the title's. Invariant: the path is the chain of parents of the newest message or
of the leaf chosen after it, and every chain runs from a beginning to a message behind which none hangs that is newer.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from paramecium.errors import ConversationMissing
from paramecium.index.passages import is_grapheme_boundary
from paramecium.index.said import LINK, Mark

TITLE_CHARS_MAX = 30
TALKS_KEPT = 256

Link = tuple[int, str, str | None]
"""Number and id of a message, and the id of its parent."""

_BREAKS = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


class Talk:
    """Is one conversation; `numbers` are those of its messages, ascending, `path` those of its path, in order."""

    def __init__(self, conversation: str, links: Iterable[Link], marks: Sequence[Mark]) -> None:
        """Joins the links (in any order); `marks` are the conversation's, by number. Raises ConversationMissing."""
        self.conversation = conversation
        ordered = sorted({n: (i, p) for n, i, p in links}.items())
        if not ordered:
            raise ConversationMissing(f"no conversation {conversation}")
        self.numbers = tuple(n for n, _ in ordered)
        number_of = {ident: n for n, (ident, _) in ordered}
        silent = dict(_link(m.value) for m in marks if m.kind == LINK)
        self._parents = _joined([(n, _above(p, number_of, silent)) for n, (_, p) in ordered], number_of)
        chosen = [m for m in marks if m.kind == "choose" and m.value in number_of]
        newest = self.numbers[-1]
        self.path = self._chain(number_of[chosen[-1].value] if chosen and chosen[-1].n > newest else newest)
        self._on_path = frozenset(self.path)

    def on_path(self, n: int) -> bool:
        """Tells whether message `n` lies on the conversation's path."""
        return n in self._on_path

    def chain_of(self, n: int) -> tuple[int, ...]:
        """Returns the path, or for a message off it the chain that leads to the newest message behind it."""
        return self.path if self.on_path(n) else self._chain(self._newest_behind(n))

    def _newest_behind(self, n: int) -> int:
        children: dict[int, list[int]] = {}
        for child, parent in self._parents.items():
            if parent is not None:
                children.setdefault(parent, []).append(child)
        reached, todo = {n}, [n]
        while todo:
            new = [child for child in children.get(todo.pop(), ()) if child not in reached]
            reached.update(new)
            todo += new
        return max(reached)

    def _chain(self, leaf: int) -> tuple[int, ...]:
        numbers: dict[int, None] = {}
        at: int | None = leaf
        while at is not None and at not in numbers:
            numbers[at] = None
            at = self._parents[at]
        return tuple(reversed(numbers))


class Talks:
    """Keeps the talks last asked for, each as long as what it was made of stands. Threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Hashable, Talk]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, conversation: str, made_of: Hashable, make: Callable[[], Talk]) -> Talk:
        """Returns the talk that was made of `made_of`, or the one that `make` makes."""
        with self._lock:
            kept = self._kept.get(conversation)
            if kept is not None and kept[0] == made_of:
                self._kept.move_to_end(conversation)
                return kept[1]
        talk = make()
        with self._lock:
            self._kept[conversation] = made_of, talk
            self._kept.move_to_end(conversation)
            while len(self._kept) > TALKS_KEPT:
                self._kept.popitem(last=False)
        return talk


def title_of(marks: Iterable[Mark], first_text: str) -> str:
    """Returns the title given last, or the beginning of the first message, on one line."""
    renamed = ""
    for mark in marks:
        renamed = mark.value if mark.kind == "rename" else renamed
    return renamed or _beginning(first_text)


def _beginning(text: str) -> str:
    cut = min(TITLE_CHARS_MAX, len(text))
    while 0 < cut < len(text) and not is_grapheme_boundary(text, cut):
        cut -= 1
    return _BREAKS.sub(" ", text[: cut or TITLE_CHARS_MAX])


def _link(value: str) -> tuple[str, str | None]:
    ident, _, parent = value.partition(" ")
    return ident, parent or None


def _above(parent: str | None, number_of: Mapping[str, int], silent: Mapping[str, str | None]) -> str | None:
    """The nearest message above that somebody said; `silent` are the parents of those that nobody did."""
    for _ in range(len(silent)):
        if parent is None or parent in number_of or parent not in silent:
            break
        parent = silent[parent]
    return parent


def _joined(ordered: Sequence[tuple[int, str | None]], number_of: Mapping[str, int]) -> dict[int, int | None]:
    """A parent the index knows nothing of is bridged to the message before.

    It is the one before the parent's first child for all its children: versions of what was said there stay siblings.
    """
    parents: dict[int, int | None] = {}
    bridged: dict[str, int | None] = {}
    before: int | None = None
    for n, parent in ordered:
        if parent is None:
            parents[n] = None
        else:
            parents[n] = number_of[parent] if parent in number_of else bridged.setdefault(parent, before)
        before = n
    return parents
