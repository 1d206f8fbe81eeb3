"""An upstream without a model: it looks up the person's own words and repeats the first it found, and says so.

It lets a person try the whole house without a key. Knows the shape of a request; is deterministic and does no I/O.
Invariant: the first window that came back with more in it than the question is repeated character for character; of a
result of unknown shape, all is.
"""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

from paramecium.messages import Json
from paramecium.upstream.base import Finished, Request, TextDelta, ToolCall, UpstreamEvent

PIECE_CHARS_MAX: Final = 24
TOOL: Final = "recall"
_USAGE: Final = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}
_SAYS: Final = {
    "zh": {
        "look": "我去找找以前说过的话。",
        "first": "我只是一只鹦鹉，背后没有模型；下面是找到的第一段原话（另外还找到 {more} 段）：\n",
        "found": "我只是一只鹦鹉，背后没有模型；下面是找到的原话：\n",
        "no_tool": "我只是一只鹦鹉，背后没有模型，这次也没有可以翻看记忆的工具。",
        "no_words": "我只是一只鹦鹉，背后没有模型；这条消息里没有可以拿去找的字。",
    },
    "en": {
        "look": "Let me look for what was said before.",
        "first": "I am a parrot without a model; these are the first words that were found (and {more} more):\n",
        "found": "I am a parrot without a model; these are the words that were found:\n",
        "no_tool": "I am a parrot without a model, and this time I have no tool to look anything up with.",
        "no_words": "I am a parrot without a model; there are no words in this message to look for.",
    },
}
_HEAD: Final = re.compile(r"\n(?P<mark>§*)\[[^\[\]\n]* conv_id=[a-z0-9-]{1,64}\](?=\n)")
_NOTE: Final = re.compile(r"§*\[[^\[\]\n]{0,20} · (?:笔记|note): ")
# A piece never ends between a character and what belongs to it: joiners, marks, variation selectors, skin tones, flags.
_CHARACTER = re.compile(
    "(?:\r\n|[\U0001f1e6-\U0001f1ff]{2}|[\\s\\S])(?:[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d[\\s\\S])*"
)


class Parrot:
    """Answers a question with one call of `recall`, and its result with the same words."""

    def __init__(self, language: str) -> None:
        self._says = _SAYS[language]

    async def stream(self, request: Request) -> AsyncIterator[UpstreamEvent]:
        """Yields the answer in pieces of at most 24 characters."""
        last = _blocks(request.messages[-1]) if request.messages else []
        results = [b for b in last if b.get("type") == "tool_result"]
        query = _words(last)
        if results:
            text, call = self._quoted([_content(result) for result in results], _asked(request.messages)), None
        elif not any(tool.get("name") == TOOL for tool in request.tools):
            text, call = self._says["no_tool"], None
        elif not query:
            text, call = self._says["no_words"], None
        else:
            text = self._says["look"]
            call = ToolCall(f"toolu_parrot_{len(request.messages)}", TOOL, {"query": query})
        for piece in _pieces(text):
            yield TextDelta(piece)
        if call is not None:
            yield call
        yield Finished(_said(text, call), "tool_use" if call else "end_turn", dict(_USAGE), request.model)

    def _quoted(self, found: Sequence[str], asked: str) -> str:
        windows = _windows(found[0]) if len(found) == 1 else []
        if not windows:
            return self._says["found"] + "\n\n".join(found)
        # Where the same was asked before and nothing follows, there is no answer in it.
        told = next((w for w in windows if not (asked and w.rstrip("\n").endswith(asked))), windows[0])
        return self._says["first"].replace("{more}", str(len(windows) - 1)) + told

    async def aclose(self) -> None:
        """Does nothing: there is nothing to close."""


def _said(text: str, call: ToolCall | None) -> tuple[Json, ...]:
    said: Json = {"type": "text", "text": text}
    if call is None:
        return (said,)
    return said, {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}


def _blocks(message: Json) -> Sequence[Json]:
    content: Any = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _words(blocks: Sequence[Json]) -> str:
    # A question's own words stand last, behind what was placed beside them.
    return str(blocks[-1].get("text", "")) if blocks and blocks[-1].get("type") == "text" else ""


def _content(result: Json) -> str:
    content = result.get("content", "")
    return content if isinstance(content, str) else "".join(str(b.get("text", "")) for b in content)


def _asked(messages: Sequence[Json]) -> str:
    calls = [b for m in messages[-2:-1] for b in _blocks(m) if b.get("type") == "tool_use"]
    return str(calls[-1]["input"].get("query", "")).rstrip("\n") if calls else ""


def _windows(text: str) -> list[str]:
    """Returns what recall found, window by window, each with its head; [] when it does not look like that.

    All heads begin with the same mark, which no line of the words does (see recall.quoting). Notes stand before the
    windows: a parrot tells what was said, not what was noted of it.
    """
    first = _HEAD.search(text)
    if first is None:
        return []
    heads = [m.start() + 1 for m in _HEAD.finditer(text) if m["mark"] == first["mark"]]
    parts = [text[start:end] for start, end in zip(heads, [*(h - 1 for h in heads[1:]), len(text)], strict=True)]
    return [part for part in parts if not _NOTE.match(part)]


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for match in _CHARACTER.finditer(text):
        if len(piece) + len(match[0]) > PIECE_CHARS_MAX and piece:
            yield piece
            piece = ""
        piece += match[0]
    if piece:
        yield piece
