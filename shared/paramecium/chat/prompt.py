"""The transcript as a model gets it: stored entries and their head, in the shape of Anthropic's Messages.

Pure: images come through a function. Renders what is stored and nothing live, so what was sent once is sent the same
ever after, and the model's service finds it in its cache.
Invariant (prefix property): within an epoch and an account, tools, system and messages of a turn, each without
`cache_control`, are the first ones of the next turn's.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from paramecium.chat.marks import marked
from paramecium.messages import Entry, Json

IMAGE_GONE: Final = "[an image that can no longer be read]"
SILENCE: Final = "…"
NO_RESULT: Final = "[no result: the answer was interrupted here]"

Picture = Callable[[Json], str | None]


@dataclass(frozen=True, slots=True)
class Rendered:
    """Is what a request says: system blocks, tools, messages; cache marks included, four at most."""

    system: tuple[Json, ...]
    tools: tuple[Json, ...]
    messages: tuple[Json, ...]


def render(head: Json, sha256: str, account: str, entries: Sequence[Entry], picture: Picture) -> Rendered:
    """Returns the request for `entries`, a path whose last one is the question or the answer begun so far.

    `sha256` names the head; answers of another epoch or account, or that do not follow their question, lose their
    thinking. `picture` gives an image's bytes
    as base64, or None when they are gone. Roles alternate and the first message is the user's: neighbours of one role
    are joined, except a question of ours that nothing answered; silence answers that one, so that the messages stay
    as they were sent.
    """
    messages: list[Json] = []
    awaited = False  # a turn of ours sent what stands so far, and nothing came after it
    for before, entry in zip((None, *entries), entries, strict=False):
        if entry.role == "user":
            content = _question(entry, picture)
            if content and awaited:
                _add(messages, "assistant", [_text(SILENCE)])
            if content:
                _add(messages, "user", content)
                awaited = entry.head is not None
        elif entry.role == "assistant":
            keeps_thinking = entry.head == sha256 and entry.account == account and _answers(entry, before)
            # Services refuse calls where no tool is declared; what they opened was for who may look things up.
            told = entry if head["tools"] or entry.head == sha256 else replace(entry, rounds=())
            for role, content, was_sent in _answer(told, keeps_thinking=keeps_thinking):
                if content:
                    _add(messages, role, content)
                    awaited = was_sent and role == "user"
    return Rendered(*marked(head["system"], head["tools"], messages))


def _add(messages: list[Json], role: str, content: Sequence[Json]) -> None:
    if messages and messages[-1]["role"] == role:
        messages[-1] = {"role": role, "content": [*messages[-1]["content"], *content]}
        return
    if not messages and role == "assistant":
        messages.append({"role": "user", "content": [_text(SILENCE)]})
    messages.append({"role": role, "content": list(content)})


def _answers(entry: Entry, before: Entry | None) -> bool:
    # Thinking is bound to what it was thought after; an answer moved behind another turn stands after something else.
    return before is None or (before.role == "user" and before.source.get("turn") == entry.source.get("turn"))


def _question(entry: Entry, picture: Picture) -> list[Json]:
    given = str((entry.given or {}).get("text", ""))
    words = [_text(t) for t in (given, entry.text)]
    images = [_image(image, picture(image)) for image in entry.images]
    return [b for b in (words[0], *images, words[1]) if _sendable(b, keeps_thinking=False)]


def _image(image: Json, data: str | None) -> Json:
    if data is None:
        return _text(IMAGE_GONE)
    return {"type": "image", "source": {"type": "base64", "media_type": image["media_type"], "data": data}}


def _answer(entry: Entry, *, keeps_thinking: bool) -> Iterator[tuple[str, list[Json], bool]]:
    # Yields role, blocks, and whether they were part of the turn; what is made up here was not.
    rounds = entry.rounds or ({"role": "assistant", "content": [_text(entry.text)]},)
    for i, message in enumerate(rounds):
        content = [b for b in message["content"] if _sendable(b, keeps_thinking=keeps_thinking)]
        yield message["role"], content, True
        if message["role"] == "assistant":
            after = rounds[i + 1]["content"] if i + 1 < len(rounds) else ()
            yield "user", _unanswered(content, after), False


def _unanswered(content: Sequence[Json], after: Sequence[Json]) -> list[Json]:
    # Every tool_use must find its result in the very next message, or the whole conversation is refused for good.
    answered = {b.get("tool_use_id") for b in after if b.get("type") == "tool_result"}
    calls = [b["id"] for b in content if b.get("type") == "tool_use" and b["id"] not in answered]
    return [{"type": "tool_result", "tool_use_id": i, "content": NO_RESULT, "is_error": True} for i in calls]


def _sendable(block: Json, *, keeps_thinking: bool) -> bool:
    match block.get("type"):
        case "text":
            text = block.get("text") or ""
            return bool(text) and not text.isspace()
        case "thinking":
            return keeps_thinking and bool(block.get("signature"))
        case "redacted_thinking":
            return keeps_thinking
    return True


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
