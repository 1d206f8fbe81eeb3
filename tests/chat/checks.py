"""What the Messages API would refuse, and what its cache needs, as checks of a request."""

from collections.abc import Sequence
from typing import Any

from paramecium.messages import Json, dump_json
from paramecium.upstream.base import Request

MARK = {"type": "ephemeral", "ttl": "1h"}


def bare(value: Any) -> Any:
    """Returns the value without its cache marks, at any depth."""
    if isinstance(value, dict):
        return {k: bare(v) for k, v in value.items() if k != "cache_control"}
    return [bare(v) for v in value] if isinstance(value, list | tuple) else value


def said(messages: Sequence[Json]) -> list[bytes]:
    """Returns each message serialised without marks."""
    return [dump_json(bare(m)) for m in messages]


def assert_valid(request: Request) -> None:
    """Asserts everything that is known to be answered with 400 for good."""
    messages = request.messages
    assert messages
    assert [m["role"] for m in messages] == [("user", "assistant")[i % 2] for i in range(len(messages))]
    assert messages[-1]["role"] == "user"
    ids: list[str] = []
    for message, after in zip(messages, [*messages[1:], None], strict=True):
        assert message["content"]
        for block in message["content"]:
            _assert_block(block)
        asked = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
        ids += asked
        told = [b for b in (after or {"content": []})["content"] if b["type"] == "tool_result"]
        assert sorted(b["tool_use_id"] for b in told) == sorted(asked)
        if after:
            assert [b["type"] for b in after["content"][: len(told)]] == ["tool_result"] * len(told)
    assert len(set(ids)) == len(ids)
    _assert_marks(request)


def _assert_block(block: Json) -> None:
    if block["type"] == "text":
        assert block["text"]
        assert not block["text"].isspace()
    if block["type"] == "thinking":
        assert block["signature"]


def marks(request: Request) -> list[tuple[str, int, int]]:
    """Returns where the cache marks stand: ("system", 0, block) or ("messages", message, block)."""
    found = [("system", 0, i) for i, b in enumerate(request.system) if "cache_control" in b]
    for i, message in enumerate(request.messages):
        found += [("messages", i, j) for j, b in enumerate(message["content"]) if "cache_control" in b]
    return found


def _assert_marks(request: Request) -> None:
    assert 1 <= len(marks(request)) <= 4
    for _, i, j in marks(request):
        assert request.messages[i]["content"][j].get("type") != "thinking" or _ == "system"
    last = len(request.messages) - 1
    assert ("messages", last, len(request.messages[last]["content"]) - 1) in marks(request)
    assert all("cache_control" not in tool for tool in request.tools)


def assert_continues(before: Request, after: Request) -> None:
    """Asserts the prefix property, and that the mark on the end of the former request stands in the later one."""
    assert dump_json(after.tools) == dump_json(before.tools)
    assert dump_json(bare(after.system)) == dump_json(bare(before.system))
    assert said(after.messages)[: len(before.messages)] == said(before.messages)
    end = len(before.messages) - 1
    assert ("messages", end, len(before.messages[end]["content"]) - 1) in marks(after)
