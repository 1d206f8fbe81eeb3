"""Characters that arrive in two halves, made whole before anybody sees them.

A model's service may cut inside a character: a surrogate pair over two JSON escapes, or the bytes of one character
over two deltas (they arrive as surrogate escapes, see sse). Knows pieces of text, nothing of where they come from.
Invariant: the pieces given out joined are the pieces put in joined, with every pair of halves made one character.
"""

import re

from paramecium.messages import whole

_BYTES = re.compile("[\udc80-\udcff]+")
_OPEN = re.compile(
    "(?:[\ud800-\udbff]|[\udcc2-\udcdf]|[\udce0-\udcef][\udc80-\udcbf]?|[\udcf0-\udcf4][\udc80-\udcbf]{0,2})\\Z"
)


class Halves:
    """Holds back the half of a character at the end of a piece until the next piece comes."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Returns what is whole by now; a half at the end waits."""
        text = whole(self._held + text)
        match = _OPEN.search(text, max(0, len(text) - 3))
        cut = match.start() if match else len(text)
        self._held = text[cut:]
        return _mended(text[:cut])

    def flush(self) -> str:
        """Returns the half that waited in vain, as it came."""
        held, self._held = self._held, ""
        return _mended(held)


def _mended(text: str) -> str:
    return _BYTES.sub(lambda m: m[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"), text)
