"""The form of the stream holds whatever a text has in it."""

from hypothesis import given
from hypothesis import strategies as st

from functions.gateway.event_stream import PING, document, frame, summed
from paramecium.chat.events import ChatEvent, Done, Failed, Started, Text, Thinking, ToolStep
from tests.functions.gateway.sse_reader import SseReader, read_all

HARD = "修复\u2028方\u2029法\u0085\r\n🧑‍🌾\ud83d \x00\x0b\x0c\x1c data: x\n\n"
ANY_TEXT = st.text(st.characters(), max_size=40)


@given(ANY_TEXT, st.integers(1, 7))
def test_any_text_comes_back_whole_at_every_cut(text: str, size: int) -> None:
    """Reading the bytes in pieces of any size gives the text back, lone surrogates and line separators included."""
    body = frame(Text(text)) + PING + frame(Thinking(text))
    reader = SseReader()
    events = [e for i in range(0, len(body), size) for e in reader.feed(body[i : i + size])]
    assert events == [("text", {"text": text}), ("thinking", {"text": text})]
    assert reader.comments == 1


def test_no_reader_can_see_a_line_end_inside_an_event() -> None:
    """Even a reader that splits at every Unicode line end sees three lines."""
    sent = frame(Text(HARD))
    assert len(sent.decode().splitlines()) == 3
    assert read_all(sent) == [("text", {"text": HARD})]


def test_chinese_and_emoji_travel_unescaped() -> None:
    """What needs no escape is sent as it is."""
    assert "修复🌱".encode() in frame(Text("修复🌱"))


def test_every_event_has_its_name_and_fields() -> None:
    """The names and fields of the wire are these."""
    usage = ({"input_tokens": 3, "output_tokens": 1}, {"input_tokens": 5})
    events: list[ChatEvent] = [
        Started("t", "c", "m1"),
        ToolStep("id", "recall", "call", {"query": "猫"}),
        Failed("upstream_timeout", "silent", 504),
        Done("t", "c", "m2", "stopped", usage, "model", "account"),
    ]
    assert read_all(b"".join(map(frame, events))) == [
        ("start", {"turn": "t", "conversation": "c", "message": "m1"}),
        ("tool", {"id": "id", "name": "recall", "state": "call", "input": {"query": "猫"}, "content": ""}),
        ("error", {"error": {"type": "upstream_timeout", "message": "silent"}}),
        (
            "done",
            {
                "turn": "t",
                "conversation": "c",
                "message": "m2",
                "status": "stopped",
                "usage": {"rounds": list(usage), "total": {"input_tokens": 8, "output_tokens": 1}},
                "model": "model",
                "account": "account",
            },
        ),
    ]


def test_sums_go_into_nested_records_and_leave_words_out() -> None:
    """Totals add numbers at every depth and nothing else."""
    rounds = [{"a": 1, "in": {"x": 2}, "tier": "standard", "flag": True}, {"a": 2, "in": {"x": 3, "y": 1}, "b": None}]
    assert summed(rounds) == {"a": 3, "in": {"x": 5, "y": 1}}


def test_a_turn_as_one_document() -> None:
    """The pieces are joined, tools listed, and the end's fields stand at the top."""
    step = ToolStep("id", "recall", "result", content="窗口")
    done = Done("t", "c", "m2", "complete", (), "model", "account")
    told, status = document([Started("t", "c", "m1"), Thinking("想"), step, Text("你"), Text("好"), done])
    assert status == 200
    assert (told["text"], told["thinking"], told["asked"], told["message"]) == ("你好", "想", "m1", "m2")
    assert told["tools"][0]["content"] == "窗口"


def test_a_failed_turn_as_one_document() -> None:
    """The status is the failure's, and what was said so far is there."""
    done = Done("t", "c", "m2", "error")
    told, status = document([Started("t", "c", "m1"), Text("你"), Failed("upstream_truncated", "cut", 502), done])
    assert (status, told["text"], told["error"]["type"], told["status"]) == (502, "你", "upstream_truncated", "error")
