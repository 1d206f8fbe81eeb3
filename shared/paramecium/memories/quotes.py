"""Where a memory stands: its id is made of the very words and their place.

Pure. Invariant: other words, another place or another message give another id.
"""

import hashlib
from typing import Final

from paramecium.messages import dump_json

HEX_CHARS: Final = 24


def memory_id(conversation: str, message: str, start: int, end: int, quote: str) -> str:
    """Returns "m-" and the first 24 hex digits of the sha256 over the JSON list of the five."""
    place = dump_json([conversation, message, start, end, quote])
    return "m-" + hashlib.sha256(place).hexdigest()[:HEX_CHARS]
