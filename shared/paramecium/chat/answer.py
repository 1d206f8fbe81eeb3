"""An answer as it grows: what the listener is told, and what of it will be stored.

Knows events of an upstream and how rounds become one text. Does no I/O; the listener is a function.
Invariant: `text` is exactly the pieces that were told, joined, whenever it is looked at.
"""

from collections.abc import Callable, Sequence
from typing import Final

from paramecium.chat.events import ChatEvent, Text, Thinking, ToolStep
from paramecium.chat.rounds import Part, Place, joined
from paramecium.messages import Json
from paramecium.upstream.base import Finished, TextDelta, ThinkingDelta, ToolCall, UpstreamEvent
from paramecium.upstream.halves import Halves

GLUE: Final = "\n\n"

Emit = Callable[[ChatEvent], None]


class Answer:
    """Collects the rounds of one turn."""

    def __init__(self, emit: Emit) -> None:
        self.rounds: list[Json] = []
        self.parts: dict[Place, Sequence[Part]] = {}
        self.usage: list[Json] = []
        self.model = ""
        self._emit = emit
        self._told: list[str] = []
        self._this_round: list[str] = []
        self._halves = Halves()

    @property
    def text(self) -> str:
        """Returns what was said so far, in all rounds."""
        return "".join(self._told)

    def hear(self, event: UpstreamEvent) -> None:
        """Takes one event of the model; the last one of a call ends its round."""
        match event:
            case TextDelta():
                self._say(self._halves.feed(event.text))
            case ThinkingDelta():
                self._emit(Thinking(event.text))
            case ToolCall():
                self._emit(ToolStep(event.id, event.name, "call", event.input))
            case Finished():
                self._end_round(event.blocks)
                self.model = event.model or self.model
                self.usage.append({**event.usage, "model": event.model, "stop_reason": event.stop_reason})

    def add_results(self, results: Sequence[tuple[Json, Sequence[Part], bool]]) -> None:
        """Takes what the tools gave back: for each call its block, the parts of the result, whether it is an error."""
        content = []
        for i, (call, parts, is_error) in enumerate(results):
            text = joined(parts)
            block = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
            content.append({**block, "is_error": True} if is_error else block)
            self.parts[len(self.rounds), i] = parts
            self._emit(ToolStep(call["id"], call["name"], "result", call["input"], text))
        self.rounds.append({"role": "user", "content": content})

    def break_off(self, blocks: Sequence[Json] = ()) -> None:
        """Ends the round at hand in its middle; `blocks` are what the upstream kept of it."""
        self._say(self._halves.flush())
        said = "".join(self._this_round)
        if blocks and "".join(b["text"] for b in blocks if b.get("type") == "text") == said:
            self._end_round(blocks)
        elif said:
            self._end_round(({"type": "text", "text": said},))

    def _end_round(self, blocks: Sequence[Json]) -> None:
        self._say(self._halves.flush())
        if blocks:
            self.rounds.append({"role": "assistant", "content": list(blocks)})
        self._this_round = []

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._told and not self._this_round:
            self._tell(GLUE)
        self._this_round.append(text)
        self._tell(text)

    def _tell(self, text: str) -> None:
        self._told.append(text)
        self._emit(Text(text))
