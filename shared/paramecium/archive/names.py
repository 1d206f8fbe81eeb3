"""The ids that foreign things get: hashes, so that the same thing always has the same id.

Knows how an id of ours is made from an original one; keeps no table of them.
Invariant: an id made here is of our form and depends on nothing but what is given.
"""

import hashlib
from typing import Any, Final

from paramecium.messages import dump_json

HEX_CHARS: Final = 24


def conversation_id(original: str) -> str:
    """Returns our id of a foreign conversation: "x-" and the first 24 hex digits of the sha256 of its original id."""
    return "x-" + hashlib.sha256(original.encode("utf-8", "backslashreplace")).hexdigest()[:HEX_CHARS]


def entry_id(*parts: Any) -> str:
    """Returns "m-" and the first 24 hex digits of the sha256 over the JSON list of the parts."""
    return "m-" + hashlib.sha256(dump_json(parts)).hexdigest()[:HEX_CHARS]
