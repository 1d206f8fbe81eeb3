"""The built-in tools of one turn: runs what is known, tells the model plainly about what is not.

Knows names, repetition and the time limit; what recall finds is recall's affair.
Invariant: every call gets exactly one result, and no failure of a tool reaches the turn.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import anyio

from paramecium.chat.rounds import Part
from paramecium.messages import Json
from paramecium.recall.tool import Asking

RECALL: Final = "recall"
TIMEOUT_S: Final = 20.0
_SAYS: Final = {
    "zh": {
        "again": "这一次回答里已经这样调用过，结果在上面，没有更多了。",
        "limit": "翻看的次数已到上限，这一次没有执行。请就用已有的内容现在回答。",
        "late": "没有等到结果：超过了 {limit:g} 秒。",
        "failed": "记忆暂时打不开，没有结果。请照常回答，并说明这一点。",
        "unknown": "没有名为 {name} 的工具；现有：{known}。",
    },
    "en": {
        "again": "This very call was made before in this answer; its result stands above, and there is nothing more.",
        "limit": "The limit of look-ups is reached; this call was not run. Answer now with what you have.",
        "late": "No result came within {limit:g} seconds.",
        "failed": "The memory cannot be opened at the moment; there is no result. Answer all the same, and say so.",
        "unknown": "There is no tool named {name}; there is: {known}.",
    },
}
_log = logging.getLogger(__name__)


class Given(Protocol):
    """Is what a tool gives back."""

    @property
    def parts(self) -> Sequence[Part]:
        """Returns the pieces of the result."""
        ...

    @property
    def is_error(self) -> bool:
        """Tells whether the tool could not do what was asked."""
        ...


class Recaller(Protocol):
    """Is the memory as a tool."""

    def answer(self, tool_input: Json, *, here: str | None = None, asking: Asking | None = None) -> Given:
        """Returns what is found; `here` is the conversation that asks, `asking` the turn."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """Is a piece of a result in our own words."""

    text: str
    words: Json | None = None


Result = tuple[Json, Sequence[Part], bool]


class Tools:
    """Answers the calls of one turn in one conversation; without `recall` there is no tool."""

    def __init__(
        self,
        recall: Recaller | None,
        here: str,
        language: str,
        asking: Asking | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._recall = recall
        self._here = here
        self._asking = asking
        self._says = _SAYS[language]
        self._timeout_s = timeout_s
        self._seen: set[tuple[str, str]] = set()

    async def run(self, call: Json, *, may_look: bool) -> Result:
        """Returns the call's block, the parts of its result, and whether it is an error."""
        name = str(call.get("name"))
        if name != RECALL or self._recall is None:
            known = RECALL if self._recall is not None else "-"
            return _plain(call, self._says["unknown"].replace("{name}", name[:80]).replace("{known}", known))
        key = (name, json.dumps(call["input"], sort_keys=True))
        if key in self._seen:
            return _plain(call, self._says["again"])
        if not may_look:
            return _plain(call, self._says["limit"])
        self._seen.add(key)
        return await self._look(self._recall, call)

    async def _look(self, recall: Recaller, call: Json) -> Result:
        with anyio.move_on_after(self._timeout_s):
            given = await anyio.to_thread.run_sync(lambda: self._asked(recall, call), abandon_on_cancel=True)
            return (call, given.parts, given.is_error) if given else _plain(call, self._says["failed"])
        return _plain(call, self._says["late"].format(limit=self._timeout_s))

    def _asked(self, recall: Recaller, call: Json) -> Given | None:
        try:
            return recall.answer(call["input"], here=self._here, asking=self._asking)
        except Exception:  # noqa: BLE001 - whatever breaks in the memory, the talk goes on
            _log.exception("recall failed")
            return None


def _plain(call: Json, text: str) -> Result:
    return call, (Plain(text),), True
