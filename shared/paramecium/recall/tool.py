"""The `recall` tool: what the model may ask, and what it gets back.

Knows that each call that could be answered is remembered, and that nothing else is. Invariant: an answer is given
whatever was asked: a failing memory never stops a talk.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from paramecium.errors import Ambiguous, BadInput, Missing, ParameciumError
from paramecium.memories.events import Recalled
from paramecium.messages import Json
from paramecium.recall.quoting import Part, quoted
from paramecium.recall.search import Finder, Found, Query

NAME: Final = "recall"
WINDOWS_PER_CALL: Final = 4
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?\Z", re.DOTALL)

_DESCRIPTION: Final = {
    "zh": "翻看你和{person}说过的话。给出的是原文,一字不改,带日期和说话人。凡是记不确切的往事、约定、喜好、原话,"
    "先查再答;查不到就直说查不到。query 用完整的意思去找;exact 为 true 时按字面逐字查找(一两个字也行)。"
    "“上周”之类请先换算成日期填入 after、before。结果里的 conv_id 可填入 conversation,在那一次谈话里接着找。",
    "en": "Looks up what you and {person} have said to each other. What comes back is verbatim, with date and name. "
    "Whenever you are not certain of something past, a promise, a taste or a wording, look before you answer, and say "
    "so when nothing is found. `query` finds by meaning; with `exact` true it finds the very characters, even one or "
    "two. Turn 'last week' into dates for `after` and `before`. A `conv_id` of a result can be given as `conversation` "
    "to search on within that talk.",
}
_FIELDS: Final = {
    "zh": (
        "要找的内容",
        "按字面逐字查找",
        "只要这一天及以后的,YYYY-MM-DD",
        "只要这一天及以前的,YYYY-MM-DD",
        "只在这次谈话里找",
    ),
    "en": (
        "what to look for",
        "find the very characters",
        "only from this day on, YYYY-MM-DD",
        "only up to this day, YYYY-MM-DD",
        "only in this conversation",
    ),
}
_WRONG: Final = {"zh": "查询写得不对:", "en": "this query cannot be understood: "}
_AWAY: Final = {"zh": "暂时查不了记录:", "en": "the archive cannot be searched right now: "}


@dataclass(frozen=True, slots=True)
class Asking:
    """Is the turn a call belongs to: its id, the person's message it answers, and the vector of what is talked about.

    `context` is as in `Recalled`; `by` names the model that asks.
    """

    turn: str = ""
    message: str = ""
    context: Json | None = None
    by: str = "model"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Is what the model gets back from one call."""

    parts: tuple[Part, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        """Returns the whole answer."""
        return "".join(p.text for p in self.parts)


def declaration(language: str, person: str) -> Json:
    """Returns the tool as it is declared to the model; the same arguments give the same bytes."""
    query, exact, after, before, conversation = _FIELDS[language]
    return {
        "name": NAME,
        "description": _DESCRIPTION[language].format(person=person),
        "input_schema": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": query},
                "exact": {"type": "boolean", "description": exact},
                "after": {"type": "string", "description": after},
                "before": {"type": "string", "description": before},
                "conversation": {"type": "string", "description": conversation},
            },
            "required": ["query"],
        },
    }


Remember = Callable[[Recalled, str], None]


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers the model's calls; `remember` takes what each of them opened, and by whom."""

    finder: Finder
    language: str
    failed: Callable[[str], None] = lambda _: None
    remember: Remember = lambda _what, _by: None

    def answer(
        self, tool_input: Json, *, here: str | None = None, here_from: int = 0, asking: Asking | None = None
    ) -> ToolAnswer:
        """Returns what was found, or in words why nothing can be; never raises.

        `here` is the conversation the call comes from: its path stands before the model already, from number
        `here_from` on; what was said before that, and is only summed up, is found, and `exact` finds other branches.
        """
        try:
            query = replace(read_query(tool_input), besides=here, besides_from=here_from)
            found = self.finder.recall(query)
            answer = ToolAnswer(tuple(quoted(found, self.language)))
            self._remember(query, found, asking or Asking())
        except (BadInput, Missing, Ambiguous) as error:
            answer = ToolAnswer((Part(_WRONG[self.language] + str(error)),), is_error=True)
        except ParameciumError as error:
            self.failed(str(error))
            answer = ToolAnswer((Part(_AWAY[self.language] + str(error)),), is_error=True)
        except Exception as error:  # noqa: BLE001 (a failing memory never stops a talk)
            self.failed(f"{type(error).__name__}: {error}")
            answer = ToolAnswer((Part(_AWAY[self.language] + type(error).__name__),), is_error=True)
        return answer

    def _remember(self, query: Query, found: Found, asking: Asking) -> None:
        """What was found is given, whether it can be remembered or not."""
        what = Recalled(
            memories=tuple(m.memory.note.id for m in found.memories),
            windows=tuple(_opened(found)),
            query=query.text,
            conversation=query.besides or "",
            turn=asking.turn,
            message=asking.message,
            context=asking.context,
        )
        try:
            self.remember(what, asking.by)
        except ParameciumError as error:
            self.failed(f"a recall was not noted: {error}")


def _opened(found: Found) -> Iterator[Json]:
    for window in found.windows:
        for piece in window.pieces:
            place = {"conversation": window.conversation, "message": piece.said.id, "n": piece.said.n}
            yield place | {"start": piece.start, "end": piece.end}


def read_query(raw: Json) -> Query:
    """Returns the query in a tool's input or a request's body; raises BadInput naming the field."""
    if not isinstance(raw, dict):
        raise BadInput("the input must be an object with the field query")
    text, n = raw.get("query"), raw.get("n", WINDOWS_PER_CALL)
    if not isinstance(text, str):
        raise BadInput("query must be a string")
    if not isinstance(n, int) or isinstance(n, bool):
        raise BadInput("n must be a whole number")
    return Query(
        text,
        _flag(raw, "exact"),
        _day(raw, "after"),
        _day(raw, "before"),
        _string(raw, "conversation"),
        n,
        _string(raw, "cursor"),
    )


def _flag(raw: Json, name: str) -> bool:
    match raw.get(name):
        case None | False | "" | "false":
            return False
        case True | "true":
            return True
    raise BadInput(f"{name} must be true or false")


def _string(raw: Json, name: str) -> str | None:
    value: Any = raw.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name} must be a string")
    return value or None


def _day(raw: Json, name: str) -> date | None:
    value = _string(raw, name)
    if value is None:
        return None
    try:
        if not _DAY.match(value):
            raise ValueError(value)
        return date.fromisoformat(value[:10])
    except ValueError as error:
        raise BadInput(f"{name} must be a day such as 2026-06-12, not {value!r:.40}") from error
