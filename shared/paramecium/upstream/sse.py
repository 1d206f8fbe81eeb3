"""Server-sent events out of bytes, however they are cut (https://html.spec.whatwg.org/multipage/server-sent-events.html).

Knows lines, fields and events; knows no dialect and does no I/O. Lines end at CR, LF or CRLF and nowhere else: U+2028,
U+0085, vertical tab and form feed are characters of somebody's words. A byte that is not UTF-8 becomes the surrogate
escape that stands for it, so that nothing is lost.
Invariant: the same bytes give the same events wherever they are cut, feed and close taken together.
"""

import re
from typing import Final, NamedTuple

from paramecium.errors import UpstreamError

LINE_BYTES_MAX: Final = 16_000_000
_EOL = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """Is one event: its name ("message" when none was given) and its data lines joined with a line feed."""

    name: str
    data: str


class Decoder:
    """Turns the bytes of one stream into events; comments, ids and events without data are left out."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._after_cr = False
        self._at_start = True
        self._name = ""
        self._data: list[str] = []
        self._data_bytes = 0

    def feed(self, data: bytes) -> list[Event]:
        """Returns the events that end in `data`; raises UpstreamError when a line or an event exceeds 16 MB."""
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        *lines, rest = _EOL.split(data)
        if lines:
            lines[0] = b"".join([*self._rest, lines[0]])
            self._rest, self._rest_bytes = [], 0
        self._rest.append(rest)
        self._rest_bytes += len(rest)
        _bounded(self._rest_bytes)
        return [event for line in lines for event in self._line(line)]

    def close(self) -> list[Event]:
        """Returns the event an ended stream left without its blank line, if any."""
        line = b"".join(self._rest)
        self._rest, self._rest_bytes = [], 0
        return [*(self._line(line) if line else []), *self._line(b"")]

    def _line(self, line: bytes) -> list[Event]:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "surrogateescape")
        if field == b"event":
            self._name = text
        elif field == b"data":
            self._data_bytes += len(value)
            _bounded(self._data_bytes)
            self._data.append(text)
        return []

    def _dispatch(self) -> list[Event]:
        event = Event(self._name or "message", "\n".join(self._data))
        self._name, self._data, self._data_bytes = "", [], 0
        return [event] if event.data else []


def _bounded(size_bytes: int) -> None:
    if size_bytes > LINE_BYTES_MAX:
        raise UpstreamError(f"the model's service sent a line of more than {LINE_BYTES_MAX} bytes")
