"""One reply of the Messages API, put together from its stream events.

Knows the events and their order (https://platform.claude.com/docs/en/build-with-claude/streaming); does no I/O.
Block types it has never heard of are kept as they came.
Invariant: the text of `so_far()` is the text that was given out; `finished` is true only after message_stop.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from paramecium.errors import BadInput
from paramecium.messages import Json, plain
from paramecium.upstream.base import Finished, TextDelta, ThinkingDelta, ToolCall, UpstreamEvent
from paramecium.upstream.halves import Halves
from paramecium.upstream.refusals import refusal_in_stream

_SPOKEN: Final = ("text", "thinking")


@dataclass(slots=True)
class _Block:
    content: Json
    halves: Halves = field(default_factory=Halves)
    partial: list[str] = field(default_factory=list)
    closed: bool = False


class Reply:
    """Takes stream events one by one and gives out what they mean; `secret` stays out of every error."""

    def __init__(self, secret: str = "") -> None:
        self.finished = False
        self._secret = secret
        self._usage: Json = {}
        self._model = ""
        self._stop_reason = ""
        self._blocks: list[_Block] = []
        self._at: dict[int, _Block] = {}

    def take(self, event: Json) -> list[UpstreamEvent]:
        """Returns what an event means to the house; unknown events mean nothing.

        Raises UpstreamError for an `error` event, and KeyError, TypeError or ValueError for one that is malformed.
        """
        match event.get("type"):
            case "message_start":
                self._model = str(event["message"].get("model", ""))
                self._add_usage(event["message"].get("usage"))
            case "content_block_start":
                return self._start(event["index"], event["content_block"])
            case "content_block_delta":
                return self._delta(self._at[event["index"]], event["delta"])
            case "content_block_stop":
                return _close(self._at.get(event["index"]))
            case "message_delta":
                self._stop_reason = _string((event.get("delta") or {}).get("stop_reason") or self._stop_reason)
                self._add_usage(event.get("usage"))
            case "message_stop":
                return self._finish()
            case "error":
                raise refusal_in_stream(event.get("error"), self._secret)
        return []

    def so_far(self) -> tuple[Json, ...]:
        """Returns the closed blocks, and of the open ones those of text that said something."""
        blocks = self._blocks
        return tuple(b.content for b in blocks if b.closed or (b.content["type"] == "text" and b.content.get("text")))

    def _add_usage(self, usage: Any) -> None:
        # Counts are cumulative: the last one that is not null stands.
        self._usage |= _counts(usage)

    def _start(self, index: int, content: Json) -> list[UpstreamEvent]:
        before = self._at.get(index)
        if before and not before.closed and not before.partial and before.content == content:
            return []
        _check_start(content)
        kind = content["type"]
        # Some services give several blocks one index: the block before it is whole then, and stays. Calls may come
        # interleaved; text comes one block after the other, so that it is stored as it was told.
        told = _close(before)
        for block in self._blocks:
            told += _close(block) if kind in _SPOKEN and block.content["type"] == kind else []
        begun = self._at[index] = _Block(dict(content))
        self._blocks.append(begun)
        if kind in _SPOKEN and content.get(kind):
            begun.content[kind] = ""
            told += _say(begun, kind, content[kind])
        return told

    def _delta(self, block: _Block, delta: Json) -> list[UpstreamEvent]:
        kind = str(delta.get("type")).removesuffix("_delta")
        if block.closed or (kind in _SPOKEN and kind != block.content["type"]):
            raise ValueError(f"a delta of {kind} for a block that cannot take it")
        match kind:
            case "text" | "thinking":
                return _say(block, kind, delta[kind])
            case "signature":
                block.content["signature"] = _string(delta["signature"])
            case "input_json":
                block.partial.append(_string(delta["partial_json"]))
            case "citations":
                block.content["citations"] = [*(block.content.get("citations") or ()), delta["citation"]]
        return []

    def _finish(self) -> list[UpstreamEvent]:
        self.finished = True
        rest = [event for block in self._blocks for event in _close(block)]
        blocks = tuple(b.content for b in self._blocks)
        return [*rest, Finished(blocks, self._stop_reason, self._usage, self._model)]


def _say(block: _Block, name: str, text: str) -> list[UpstreamEvent]:
    return _given_out(block, name, block.halves.feed(text))


def _given_out(block: _Block, name: str, text: str) -> list[UpstreamEvent]:
    block.content[name] = block.content.get(name, "") + text
    if not text:
        return []
    return [TextDelta(text) if name == "text" else ThinkingDelta(text)]


def _close(block: _Block | None) -> list[UpstreamEvent]:
    if block is None or block.closed:
        return []
    block.closed = True
    kind = block.content.get("type")
    if kind in ("text", "thinking"):
        return _given_out(block, kind, block.halves.flush())
    # Halves of a character may be cut apart in arguments, too.
    raw = block.halves.feed("".join(block.partial)) + block.halves.flush()
    if raw or kind == "tool_use":
        block.content["input"] = _input(raw) if raw else _object(block.content.get("input"))
    if kind != "tool_use":
        return []
    return [ToolCall(block.content["id"], block.content["name"], block.content["input"], raw)]


def _input(raw: str) -> Json:
    try:
        value = plain(json.loads(raw))
    except (BadInput, ValueError, RecursionError):
        return {}
    return _object(value)


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _check_start(content: Json) -> None:
    kind = _string(content["type"])
    if kind in _SPOKEN and content.get(kind) is not None:
        _string(content[kind])
    if kind == "tool_use" and not (_string(content["id"]) and _string(content["name"])):
        raise ValueError("a call of a tool without id or name")


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a string was due, not {type(value).__name__}")
    return value


def _counts(usage: Any) -> Json:
    """Returns what can be a count, or says what was used; a figure that is none is no reason to lose an answer."""
    out: Json = {}
    for name, value in usage.items() if isinstance(usage, dict) else ():
        if isinstance(value, dict):
            out[name] = _counts(value)
        elif isinstance(value, str) or (isinstance(value, int | float) and value >= 0):
            out[name] = value
    return out
