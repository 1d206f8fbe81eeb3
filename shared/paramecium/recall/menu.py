"""The menu: one line for each memory that may matter now, placed beside what the person just said (pure).

Knows how memories are written as lines and how many fit; refuses to know how they were found (see `lanes`).
Invariant: a menu is at most 6 lines and 150 estimated tokens with its heading, and one without lines has no text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from paramecium.memories.titles import title_of
from paramecium.memories.tokens import estimated_tokens

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LINES_MAX: Final = 6
TOKENS_MAX: Final = 150
# Short, since it stays in the transcript with every menu; the head says once what the lines are.
HEADINGS: Final = {"zh": "[笔记标题]", "en": "[titles of notes]"}
# A title must not look like a heading of ours, or like the head of a window.
_BRACKETS: Final = str.maketrans("[]［］【】〔〕", "()()()()")

Span = tuple[int, int]
"""First character and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Is what a menu is made for: the person's message, and what stands before the model already.

    `moment` is now, in the person's time zone. `reply` is the answer before this message, `afterglow` the int8 vector
    of its last passage, made by the model `afterglow_model`. `recalled` are the memories opened in this conversation,
    newest last; `known` are not to be listed again; `seen` maps (conversation, message id) to the spans that stand in
    the transcript. `room` is how many tokens the menu may take, if that is less than 150. `aside` are the ids of this
    conversation's messages that lie on another branch than the message.
    """

    text: str
    moment: datetime
    conversation: str | None = None
    reply: str = ""
    afterglow: tuple[int, ...] = ()
    afterglow_model: str = ""
    recalled: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    seen: Mapping[tuple[str, str], tuple[Span, ...]] = field(default_factory=dict)
    room: int = TOKENS_MAX
    aside: frozenset[str] = frozenset()


class Line(NamedTuple):
    """Is one memory on the menu; `date` is YYYY-MM-DD or empty, `lanes` those that brought it, `score` their sum."""

    id: str
    date: str
    title: str
    lanes: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Menu:
    """Is what is given: its lines, the text a model reads, and that text's estimated tokens.

    `context` is the raw vector of the message as a query, by the model `model`; None when there is none. `late` names
    the lanes that did not come in time.
    """

    lines: tuple[Line, ...] = ()
    text: str = ""
    tokens: int = 0
    context: "NDArray[float32] | None" = None
    model: str = ""
    late: tuple[str, ...] = ()


def line_of(ident: str, content: str, day: str, lanes: tuple[str, ...], score: float) -> Line:
    """Returns the line of a memory; its title is one line of at most 60 characters."""
    return Line(ident, day, title_of(content).translate(_BRACKETS), lanes, score)


def written(line: Line, today: date) -> str:
    """Returns a line as a model reads it: `MM-DD title`, with the year when it is not this one."""
    if not line.date:
        return line.title
    this_year = line.date.startswith(f"{today.year:04d}-")
    return f"{line.date[5:] if this_year else line.date} {line.title}"


def fitting(lines: Iterable[Line], today: date, language: str, room: int = TOKENS_MAX) -> tuple[tuple[Line, ...], str]:
    """Returns the first lines that fit, and the menu's text; a line that is too long gives way to the next ones."""
    taken: list[Line] = []
    text = HEADINGS[language]
    for line in lines:
        longer = f"{text}\n{written(line, today)}"
        if estimated_tokens(longer) <= min(room, TOKENS_MAX):
            taken.append(line)
            text = longer
        if len(taken) == LINES_MAX:
            break
    return tuple(taken), text if taken else ""
