"""Reads server-sent events as the HTML standard says, from bytes in any pieces."""

import codecs
import re
from typing import Any

from paramecium.messages import load_json

_END = re.compile("\r\n|\n|\r")


class SseReader:
    """Keeps what is not yet a whole event, and how many comments went by."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._rest = ""
        self._fields: dict[str, str] = {}
        self.comments = 0

    def feed(self, piece: bytes) -> list[tuple[str, Any]]:
        """Returns the events that `piece` makes whole, each a name and the value of its JSON."""
        self._rest += self._decoder.decode(piece)
        *lines, self._rest = _END.split(self._rest)
        return [event for line in lines for event in self._line(line)]

    def _line(self, line: str) -> list[tuple[str, Any]]:
        if line:
            self._field(line)
            return []
        fields, self._fields = self._fields, {}
        return [(fields.get("event", "message"), load_json(fields["data"].encode()))] if "data" in fields else []

    def _field(self, line: str) -> None:
        if line.startswith(":"):
            assert not self._fields, "a comment inside an event"
            self.comments += 1
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        self._fields[name] = f"{self._fields[name]}\n{value}" if name == "data" and name in self._fields else value


def read_all(body: bytes) -> list[tuple[str, Any]]:
    """Returns the events of a whole stream."""
    return SseReader().feed(body)
