"""The Messages adapter: what goes out on the wire, and what is read from it whole."""

import json

from paramecium.messages import Json
from paramecium.upstream.anthropic import body
from paramecium.upstream.base import TextDelta, ThinkingDelta, ToolCall
from tests.upstream.fakes_wire import KEY, Wire, block, end, finished, heard, request, said, sse, start, text

NASTY = "修复方法\u2028行\u0085\v\f👨‍👩‍👧。"


def test_sends_headers_and_body_of_the_messages_api() -> None:
    """A call goes to /v1/messages with the key in its header and the whole request in its body."""
    wire = Wire(sse(start(), *text(0, "好"), *end()))
    system = [{"type": "text", "text": "你是小草", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    heard(wire.adapter(), request(system=system))
    (sent,) = wire.requests
    assert str(sent.url) == "https://api.anthropic.com/v1/messages"
    assert sent.headers["x-api-key"] == KEY
    assert sent.headers["anthropic-version"] == "2023-06-01"
    told = json.loads(sent.content)
    assert told == {
        "model": "claude-x",
        "max_tokens": 100,
        "stream": True,
        "system": system,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "你好"}]}],
    }
    assert "你好".encode() in sent.content


def test_base_url_may_be_another_one() -> None:
    """An account's base_url is used with or without a slash, and /v1 is not doubled."""
    for base_url in ("https://relay.test/x", "https://relay.test/x/", "https://relay.test/x/v1/"):
        account = {"name": "a", "kind": "anthropic", "api_key": KEY, "base_url": base_url, "models": ["m"]}
        wire = Wire(sse(start(), *end()))
        heard(wire.adapter(accounts=[account]))
        assert str(wire.requests[0].url) == "https://relay.test/x/v1/messages"


def test_no_lone_surrogate_and_no_nul_leave_the_house() -> None:
    """In the upstream's copy lone surrogates and NUL are U+FFFD, in keys and depths too; pairs are characters."""
    words = {"type": "text", "text": "a\ud83d b\ude00\ud83d \0 \ud83d\ude00"}
    call: Json = {"type": "tool_use", "id": "t", "name": "recall", "input": {"q\ud83d": ["\udfff", 1, None, True]}}
    sent = body(request({"role": "user", "content": [words, call]}))
    content = json.loads(sent.decode("utf-8"))["messages"][0]["content"]
    assert content[0]["text"] == "a\ufffd b\ufffd\ufffd \ufffd 😀"
    assert content[1]["input"] == {"q\ufffd": ["\ufffd", 1, None, True]}
    assert b"\\ud" not in sent


STREAM = sse(
    start(input_tokens=9, output_tokens=1, cache_read_input_tokens=5),
    {"type": "ping"},
    *block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "想"},
        {"type": "signature_delta", "signature": "sig=="},
    ),
    *block(1, {"type": "redacted_thinking", "data": "xyz"}),
    *text(2, "", NASTY[:5], NASTY[5:]),
    *block(
        3,
        {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {}},
        {"type": "input_json_delta", "partial_json": ""},
        {"type": "input_json_delta", "partial_json": '{"query": "去年'},
        {"type": "input_json_delta", "partial_json": '的雪"}'},
    ),
    {"type": "news_of_tomorrow", "x": 1},
    *block(4, {"type": "from_the_future", "x": {"y": 1}}),
    *end("tool_use", output_tokens=42),
)


def test_collects_blocks_verbatim() -> None:
    """Text, thinking with signature, redacted thinking, calls and unknown blocks come out in order as they came."""
    events, error = heard(Wire(STREAM).adapter())
    assert error is None
    assert said(events) == NASTY
    assert [e for e in events if isinstance(e, ThinkingDelta)] == [ThinkingDelta("想")]
    call = ToolCall("toolu_1", "recall", {"query": "去年的雪"}, '{"query": "去年的雪"}')
    assert [e for e in events if isinstance(e, ToolCall)] == [call]
    assert finished(events).blocks == (
        {"type": "thinking", "thinking": "想", "signature": "sig=="},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": NASTY},
        {"type": "tool_use", "id": "toolu_1", "name": "recall", "input": {"query": "去年的雪"}},
        {"type": "from_the_future", "x": {"y": 1}},
    )


def test_usage_is_cumulative_and_the_last_count_stands() -> None:
    """Counts are replaced by later ones that are not null and are never summed."""
    usage = finished(heard(Wire(STREAM).adapter())[0]).usage
    assert usage == {"input_tokens": 9, "output_tokens": 42, "cache_read_input_tokens": 5}


def test_the_same_events_at_every_cut_of_the_bytes() -> None:
    """A stream cut anywhere, inside characters too, gives the same blocks and the same text."""
    whole, _ = heard(Wire(STREAM).adapter())
    for cut in range(0, len(STREAM), 7):
        events, error = heard(Wire(STREAM[:cut], STREAM[cut:]).adapter())
        assert (events, error) == (whole, None), cut


def test_a_pair_over_two_deltas_is_one_character() -> None:
    """Halves of an emoji in two JSON escapes are given out together; the block holds the character."""
    wire = Wire(sse(start(), *text(0, "好\ud83d", "\ude00"), *end(), escape=True))
    events, _ = heard(wire.adapter())
    assert [e.text for e in events if isinstance(e, TextDelta)] == ["好", "😀"]
    assert finished(events).blocks == ({"type": "text", "text": "好😀"},)


def test_half_characters_in_raw_bytes_are_joined() -> None:
    """A service that cuts the bytes of a character over two deltas is read all the same."""
    stream = sse(start(), *text(0, "A1", "B2"), *end()).replace(b"A1", b"\xe4").replace(b"B2", b"\xbd\xa0")
    events, error = heard(Wire(stream).adapter())
    assert (said(events), error) == ("你", None)


def test_tool_input_that_is_empty_or_no_json() -> None:
    """No input is {}; broken JSON, a list or NaN is {} too, and what the model wrote stands in `raw`."""
    for raw in ("", '{"query": "雪', "[1]", '{"x": NaN}', "1" * 5000):
        deltas = [{"type": "input_json_delta", "partial_json": raw}]
        tool = block(0, {"type": "tool_use", "id": "t", "name": "recall", "input": {}}, *deltas)
        events, error = heard(Wire(sse(start(), *tool, *end("tool_use"))).adapter())
        assert error is None
        assert events[0] == ToolCall("t", "recall", {}, raw)
        assert finished(events).blocks[0]["input"] == {}


def test_what_follows_the_end_is_not_read() -> None:
    """The stream is over with message_stop; [DONE] and noise around it are nothing."""
    stream = b"data: [DONE]\n\n" + sse(start(), *text(0, "好"), *end())
    events, error = heard(Wire(stream + b"data: [DONE]\n\ndata: {oops\n\n").adapter())
    assert (said(events), error) == ("好", None)


def test_blocks_keep_their_own_deltas_and_order() -> None:
    """Deltas of parallel calls that arrive interleaved stay with their block (D2 37); a second start is harmless."""
    one, two = (
        block(i, {"type": "tool_use", "id": f"t{i}", "name": "recall", "input": {}}, *_halves(q))
        for i, q in enumerate(("雪", "雨"))
    )
    mixed = [event for pair in zip(one, two, strict=True) for event in pair]
    events, error = heard(Wire(sse(start(), start(), *mixed, *end("tool_use"))).adapter())
    assert error is None
    assert [e.input for e in events if isinstance(e, ToolCall)] == [{"query": "雪"}, {"query": "雨"}]
    assert [b["id"] for b in finished(events).blocks] == ["t0", "t1"]


def _halves(query: str) -> list[Json]:
    raw = json.dumps({"query": query}, ensure_ascii=False)
    return [{"type": "input_json_delta", "partial_json": piece} for piece in (raw[:5], raw[5:])]
