"""Where a model's service may cache (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).

Pure. Four marks at most, each for an hour: after the first and the last system block, on the last block of the
request before this one, on the last block sent. Thinking and empty text carry none.
Invariant: nothing but `cache_control` is added, and blocks that came in are never changed.
"""

from collections.abc import Sequence
from typing import Final

from paramecium.messages import Json

MARK: Final = {"type": "ephemeral", "ttl": "1h"}
_UNMARKABLE: Final = ("thinking", "redacted_thinking")


def marked(
    system: Sequence[Json], tools: Sequence[Json], messages: Sequence[Json]
) -> tuple[tuple[Json, ...], tuple[Json, ...], tuple[Json, ...]]:
    """Returns system, tools and messages with their marks."""
    told = [_mark(b) if i in (0, len(system) - 1) else b for i, b in enumerate(system)]
    sent = list(messages)
    for i in {_end_of_previous(messages), len(messages) - 1}:
        if i >= 0:
            sent[i] = _mark_last(messages[i])
    return tuple(told), tuple(tools), tuple(sent)


def _end_of_previous(messages: Sequence[Json]) -> int:
    # The request before this one ended with the message that the last answer answers.
    answers = [i for i, m in enumerate(messages) if m["role"] == "assistant"]
    return answers[-1] - 1 if answers else -1


def _mark_last(message: Json) -> Json:
    content = list(message["content"])
    for i in range(len(content) - 1, -1, -1):
        if content[i].get("type") not in _UNMARKABLE and content[i].get("text") != "":
            content[i] = _mark(content[i])
            break
    return {**message, "content": content}


def _mark(block: Json) -> Json:
    return {**block, "cache_control": dict(MARK)}
