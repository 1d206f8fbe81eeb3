"""The Messages adapter when the service refuses, breaks off or falls silent; and that its key is never told."""

import asyncio
import json
import logging
import traceback

import anyio
import httpx
import pytest

from paramecium.errors import (
    UpstreamError,
    UpstreamOverloaded,
    UpstreamRefused,
    UpstreamTimeout,
    UpstreamTruncated,
)
from paramecium.messages import Json
from tests.upstream.fakes_wire import KEY, Piece, Wire, block, end, finished, heard, request, said, sse, start, text

JSON = {"content-type": "application/json"}


def told(kind: str, message: str) -> bytes:
    """Returns an error body of the service."""
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}, ensure_ascii=False).encode()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 500, 502, 503])
def test_a_refusal_keeps_status_and_words(status: int) -> None:
    """A status is kept with the service's own words, at most 500 characters."""
    wire = Wire(told("x", "不行" * 400), status=status, headers=JSON)
    events, error = heard(wire.adapter())
    assert isinstance(error, UpstreamRefused)
    assert (error.upstream_status, events) == (status, [])
    assert "不行" * 250 in str(error)
    assert "不行" * 251 not in str(error)


@pytest.mark.parametrize("status", [429, 529])
def test_too_much_is_overload(status: int) -> None:
    """429 and 529 are overload, a thing to try again."""
    _, error = heard(Wire(told("overloaded_error", "忙"), status=status, headers=JSON).adapter())
    assert isinstance(error, UpstreamOverloaded)


@pytest.mark.parametrize("body", [b"<html>\xff gateway</html>", b"", b"[1]", b'{"error": "text"}', b'{"error": null}'])
def test_a_body_of_any_kind_is_a_refusal(body: bytes) -> None:
    """What is no error of the API is quoted, and an answer of 200 that is no stream is a refusal too."""
    for status in (502, 200):
        _, error = heard(Wire(body, status=status, headers={"content-type": "text/html"}).adapter())
        assert isinstance(error, UpstreamRefused)
        assert error.upstream_status == status


@pytest.mark.parametrize(
    ("kind", "expected", "status"),
    [
        ("overloaded_error", UpstreamOverloaded, None),
        ("rate_limit_error", UpstreamOverloaded, None),
        ("authentication_error", UpstreamRefused, 401),
        ("invalid_request_error", UpstreamRefused, 400),
        ("of_tomorrow", UpstreamRefused, 500),
    ],
)
def test_an_error_in_the_stream_means_the_same(kind: str, expected: type, status: int | None) -> None:
    """An error event is mapped by its type, and carries what was said before it."""
    event: Json = {"type": "error", "error": {"type": kind, "message": f"no {KEY}"}}
    events, error = heard(Wire(sse(start(), *text(0, "半句"), event)).adapter())
    assert type(error) is expected
    assert getattr(error, "upstream_status", None) == status
    assert said(events) == "半句"
    assert error is not None
    assert error.blocks == ({"type": "text", "text": "半句"},)


def test_every_stream_without_its_end_is_truncated() -> None:
    """Cut at any byte before message_stop, a stream is truncated, and its blocks are the text that was given out."""
    tool = block(
        1,
        {"type": "tool_use", "id": "t", "name": "recall", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"query":"雪"}'},
    )
    thinking = block(
        2, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "想"}
    )
    stream = sse(start(), *text(0, "修复", "方法"), *tool, *thinking, end()[0])
    for cut in range(0, len(stream) + 1, 3):
        events, error = heard(Wire(stream[:cut]).adapter())
        assert isinstance(error, UpstreamTruncated), cut
        assert "".join(b["text"] for b in error.blocks if b["type"] == "text") == said(events)
        assert all(b["input"] == {"query": "雪"} for b in error.blocks if b["type"] == "tool_use")


CALL: Json = {"type": "tool_use", "id": "t", "name": "recall", "input": {}}
DEEP: Json = {"a": 1}
for _ in range(50):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "bad",
    [
        block(1, {"type": "later", "x": float("nan")}),
        block(1, {"type": "later", "x": 2**63}),
        block(1, {"type": "later", "x": DEEP}),
        block(1, {"type": 7}),
        block(1, {"type": "text", "text": []}),
        block(1, CALL | {"id": 7}),
        block(1, CALL | {"name": ["recall"]}),
        block(1, CALL | {"id": ""}),
        block(1, CALL, {"type": "text_delta", "text": "混"}),
        text(1, "二")[:2] + text(2, "三") + [text(1, "二")[1]],
        [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "晚了"}}],
        [{"type": "message_delta", "delta": {"stop_reason": 1}}],
    ],
)
def test_what_could_never_be_sent_back_is_truncated(bad: list[Json]) -> None:
    """What is no plain JSON or out of order ends the stream, and what is kept is the text that was given out."""
    good = sse(start(), *text(0, "好"))
    assert heard(Wire(good + sse(*end())).adapter())[1] is None
    events, error = heard(Wire(good + sse(*bad, *end())).adapter())
    assert isinstance(error, UpstreamTruncated)
    assert "".join(b["text"] for b in error.blocks if b["type"] == "text") == said(events)


@pytest.mark.parametrize("written", ["1e999", "[1]", '{"n":1e999}', '{"n":NaN}', '{"n":99999999999999999999}', '"x"'])
def test_an_input_that_is_no_plain_object_is_empty(written: str) -> None:
    """A call is kept with an empty input when what the model wrote for it could not be sent back."""
    call = block(0, CALL, {"type": "input_json_delta", "partial_json": written})
    events, error = heard(Wire(sse(start(), *call, *end("tool_use"))).adapter())
    assert error is None
    assert finished(events).blocks == (CALL,)


def test_what_cannot_be_a_count_is_left_out() -> None:
    """Odd figures of use cost no answer."""
    used = {"input_tokens": -1, "output_tokens": 3, "cache": {"a": None, "b": 1}, "list": [1]}
    odd = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": used}
    events, error = heard(Wire(sse(start(), *text(0, "好"), odd, {"type": "message_stop"})).adapter())
    assert error is None
    assert finished(events).usage == {"output_tokens": 3, "cache": {"b": 1}}


def test_an_unfinished_call_or_thought_is_not_kept() -> None:
    """Of blocks that were open when the stream broke, only text stays."""
    opened = block(
        0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "想"}
    )
    _, error = heard(Wire(sse(start(), *opened[:2])).adapter())
    assert isinstance(error, UpstreamTruncated)
    assert error.blocks == ()


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((httpx.ConnectError("refused"),), UpstreamError),
        ((httpx.ConnectTimeout("slow"),), UpstreamTimeout),
        ((httpx.ReadError("reset"),), UpstreamError),
        ((sse(start(), *text(0, "半")), httpx.ReadError("reset")), UpstreamTruncated),
        ((sse(start(), *text(0, "半")), httpx.RemoteProtocolError("incomplete chunked read")), UpstreamTruncated),
        ((sse(start(), *text(0, "半")), httpx.ReadTimeout("silence")), UpstreamTimeout),
        ((sse(start()), b"data: {oops\n\n"), UpstreamTruncated),
        ((sse({"type": "content_block_delta", "index": 3, "delta": {}}),), UpstreamTruncated),
        ((b"data: 7\n\n",), UpstreamTruncated),
    ],
)
def test_a_broken_connection_is_an_error_of_ours(pieces: tuple[Piece, ...], expected: type) -> None:
    """Refused, reset, cut or malformed: always an UpstreamError, naming the host."""
    _, error = heard(Wire(*pieces).adapter())
    assert type(error) is expected


@pytest.mark.parametrize("base_url", ["http://[::1", "http://x:abc", "http://u:secret@x y/"])
def test_an_address_that_is_none_is_an_error_of_ours(base_url: str) -> None:
    """A base_url that cannot be called is told, without what stands before the @."""
    account = {"name": "a", "kind": "anthropic", "api_key": KEY, "base_url": base_url, "models": ["m"]}
    _, error = heard(Wire().adapter(accounts=[account]))
    assert isinstance(error, UpstreamError)
    assert "secret" not in str(error)


def test_silence_and_endless_pings_end() -> None:
    """A silent service ends at the idle limit, one that only pings at the total limit; both responses are closed."""

    async def forever() -> None:
        await asyncio.Event().wait()

    wire = Wire(sse(start()), forever)
    _, error = heard(wire.adapter(upstream_idle_timeout_s=0.3))
    assert isinstance(error, UpstreamTimeout)
    pings: list[Piece] = [sse({"type": "ping"}), lambda: asyncio.sleep(0.01)] * 100
    pinging = Wire(sse(start()), *pings)
    _, error = heard(pinging.adapter(turn_timeout_s=0.3))
    assert isinstance(error, UpstreamTimeout)
    assert (wire.closed, pinging.closed) == (1, 1)


@pytest.mark.parametrize("status", [401, 200])
def test_the_key_is_told_nowhere(status: int, caplog: pytest.LogCaptureFixture) -> None:
    """Neither errors with their causes, nor the adapter's repr, nor the log hold the key."""
    caplog.set_level(logging.DEBUG)
    adapter = Wire(told("authentication_error", f"bad key {KEY}"), status=status, headers=JSON).adapter()
    _, error = heard(adapter)
    assert error is not None
    words = "".join(traceback.format_exception(error)) + repr(adapter) + repr(vars(adapter)) + caplog.text
    assert "bad key" in words
    assert KEY not in words


def test_who_stops_listening_closes_the_connection() -> None:
    """Closing the events in the middle closes the response at once."""
    wire = Wire(sse(start(), *text(0, "一", "二")), sse(*end()))

    async def listen() -> None:
        events = wire.adapter().stream(request())
        await anext(events)
        await events.aclose()  # type: ignore[attr-defined]

    anyio.run(listen)
    assert wire.closed == 1
