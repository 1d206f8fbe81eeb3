"""A block as bytes: a JSON list of entries whose numbers run without a gap from the number in the block's key.

Knows the form of a block and how drafts are cut into blocks; knows no store.
Invariant: `decode(key, body)` of a body that `cut` made gives the same entries, and what is not such a list is Damaged.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from paramecium.errors import BadInput, Damaged
from paramecium.messages import Entry, dump_json, entry_from, entry_to, load_json

ENTRIES_MAX: Final = 500
BYTES_MAX: Final = 1_000_000
_NUMBER = re.compile(r"/conversations/[^/]+/([0-9]{8})\.json\Z")


def number(key: str) -> int | None:
    """Returns the number of a block's first entry, or None when the key is not a block's."""
    match = _NUMBER.search(key)
    return int(match[1]) if match else None


def cut(drafts: Sequence[Entry], n: int) -> tuple[tuple[Entry, ...], bytes]:
    """Returns as many of the first drafts as fit one block, numbered from `n`, and the block's bytes.

    At most 500 entries and 1 MB; a single entry over 1 MB is a block of its own.
    """
    entries: list[Entry] = []
    bodies: list[bytes] = []
    size = 1
    for draft in drafts[:ENTRIES_MAX]:
        entry = replace(draft, n=n + len(entries))
        body = dump_json(entry_to(entry))
        size += len(body) + 1
        if size > BYTES_MAX and entries:
            break
        entries.append(entry)
        bodies.append(body)
    return tuple(entries), b"[" + b",".join(bodies) + b"]"


def decode(key: str, body: bytes) -> tuple[Entry, ...]:
    """Returns the entries of a block; raises Damaged naming the key when it is none or is numbered wrongly."""
    try:
        raw = load_json(body)
        if not isinstance(raw, list) or not raw:
            raise Damaged("not a list of entries")
        entries = tuple(entry_from(item) for item in raw)
    except (BadInput, Damaged) as error:
        raise Damaged(f"{key}: {error}") from error
    first = number(key)
    if first is None or any(entry.n != first + i for i, entry in enumerate(entries)):
        raise Damaged(f"{key}: its entries are not numbered from the number in its key")
    return entries
