"""Heads: the exact system blocks and tools a turn was sent with, each under the hash of its JSON.

Knows only that a head is a JSON object; what stands in it is the chat's affair.
Invariant: what `get_head` returns is what `put_head` was given, key for key and in the same order.
"""

import hashlib
import re

from paramecium.archive.once import ensure
from paramecium.errors import BadId, Damaged
from paramecium.messages import Json, dump_json
from paramecium.store import keys, record
from paramecium.store.base import AppendOnly

_NAME = re.compile(r"[0-9a-f]{64}\Z")


def put_head(store: AppendOnly, life: str, head: Json) -> str:
    """Stores a head, once however often it is given, and returns the sha256 of its JSON."""
    sha256 = _sha256(head)
    ensure(store, keys.head(keys.check_life(life), sha256), dump_json(head))
    return sha256


class Heads:
    """Stores the heads of one life, each once a process: turn after turn is sent with the same one."""

    def __init__(self, store: AppendOnly, life: str) -> None:
        self._store, self._life = store, keys.check_life(life)
        self._stored = ""

    def put(self, head: Json) -> str:
        """Returns the sha256 of a head that stands."""
        sha256 = _sha256(head)
        if sha256 != self._stored:
            self._stored = put_head(self._store, self._life, head)
        return sha256


def get_head(store: AppendOnly, life: str, sha256: str) -> Json:
    """Returns the head with that hash; raises BadId, KeyMissing, and Damaged when its bytes have another hash."""
    if not _NAME.match(sha256):
        raise BadId(f"not the sha256 of a head: {sha256!r:.80}")
    key = keys.head(keys.check_life(life), sha256)
    body = store.get(key).body
    if hashlib.sha256(body).hexdigest() != sha256:
        raise Damaged(f"{key}: its bytes do not have the hash in its name")
    return record.parse(key, body)


def _sha256(head: Json) -> str:
    return hashlib.sha256(dump_json(head)).hexdigest()
