"""Server-sent events: the same at every cut, with every character in place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramecium.errors import UpstreamError
from paramecium.upstream import sse
from paramecium.upstream.sse import Decoder, Event

NASTY = "修复方法 北\u2028a\u2029b\u0085c\vd\fe\ufeff👨‍👩‍👧 \x1c\x1d\x1e 𠮷 é"


def decode(*pieces: bytes) -> list[Event]:
    """Feeds the pieces and closes."""
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


STREAM = (
    b"\xef\xbb\xbf: hello\n\n"
    + f"event: delta\ndata: {NASTY}\n\n".encode()
    + f"data: {NASTY}\r\ndata:{NASTY}\r\n\r\n".encode()
    + b": ping\n\nid: 7\nretry: 10\n"
    + f"event: x\rdata: {NASTY}\r\r".encode()
    + b"data: \n\ndata\n\nevent: empty\n\n"
    + b"data: [DONE]\n\n"
)
EVENTS = [
    Event("delta", NASTY),
    Event("message", f"{NASTY}\n{NASTY}"),
    Event("x", NASTY),
    Event("message", "[DONE]"),
]


def test_reads_events_in_all_three_kinds_of_line_ends() -> None:
    """CR, LF and CRLF end a line; comments, ids and events without data are left out."""
    assert decode(STREAM) == EVENTS


def test_gives_the_same_events_cut_at_every_byte() -> None:
    """Every single cut of the bytes gives the same events."""
    for cut in range(len(STREAM) + 1):
        assert decode(STREAM[:cut], STREAM[cut:]) == EVENTS, cut


def test_gives_the_same_events_byte_by_byte() -> None:
    """One byte at a time, with empty pieces in between, gives the same events."""
    pieces = [piece for i in range(len(STREAM)) for piece in (STREAM[i : i + 1], b"")]
    assert decode(*pieces) == EVENTS


@given(st.lists(st.text().map(lambda t: t.replace("\r", "").replace("\n", "")), min_size=1), st.data())
def test_gives_back_any_text_at_any_cuts(texts: list[str], data: st.DataObject) -> None:
    """Whatever text stands in data lines comes out unchanged, however the bytes are cut."""
    stream = b"".join(f"data: {t}\n\n".encode("utf-8", "surrogatepass") for t in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert decode(*pieces) == decode(stream)
    assert [e.data for e in decode(stream)] == [_as_bytes_say(t) for t in texts if t]


def _as_bytes_say(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


def test_keeps_bytes_that_are_not_utf8() -> None:
    """A byte outside UTF-8 becomes its surrogate escape and can be made a byte again."""
    (event,) = decode(b"data: \xe4\n\n")
    assert event.data.encode("utf-8", "surrogateescape") == b"\xe4"


def test_an_unterminated_last_event_counts() -> None:
    """A stream that ends without its blank line, or in the middle of its last line, still gives its event."""
    assert decode(b"data: [DONE]\n") == [Event("message", "[DONE]")]
    assert decode(b"data: [DONE]") == [Event("message", "[DONE]")]
    assert decode(b"") == []


def test_a_bom_in_the_middle_stays() -> None:
    """Only the very first character may be a byte order mark; later ones are text."""
    assert decode("\ufeffdata: \ufeff好\n\n".encode()) == [Event("message", "\ufeff好")]


@pytest.mark.parametrize("piece", [b"x" * 100, b"data: y\n" * 100])
def test_a_line_or_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    """A line, or data lines without the blank one, over the limit raise instead of filling the memory."""
    monkeypatch.setattr(sse, "LINE_BYTES_MAX", 150)
    decoder = Decoder()
    assert decoder.feed(piece[:100]) == []
    with pytest.raises(UpstreamError, match="150 bytes"):
        decoder.feed(piece)
