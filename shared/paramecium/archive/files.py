"""Texts under the hash of their bytes: every version of a document that was ever found stands here word for word.

Knows hashes; knows nothing of documents or of which of their versions is the present one.
Invariant: what `get_text` returns has the hash it was stored under.
"""

import hashlib
import re

from paramecium.archive.once import ensure
from paramecium.errors import Damaged
from paramecium.store import keys
from paramecium.store.base import AppendOnly

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def put_text(store: AppendOnly, life: str, text: str) -> str:
    """Returns the sha256 of a text's UTF-8 bytes (lone surrogates passed), under which it stands from now on."""
    body = text.encode("utf-8", "surrogatepass")
    sha256 = hashlib.sha256(body).hexdigest()
    ensure(store, keys.file(keys.check_life(life), sha256), body)
    return sha256


def get_text(store: AppendOnly, life: str, sha256: str) -> str:
    """Returns a text, verbatim; raises KeyMissing, and Damaged when name or bytes are not right."""
    if not _SHA256.match(sha256):
        raise Damaged(f"no sha256 of a text: {sha256!r:.80}")
    key = keys.file(keys.check_life(life), sha256)
    body = store.get(key).body
    if hashlib.sha256(body).hexdigest() != sha256:
        raise Damaged(f"{key}: its bytes do not have the hash in its name")
    try:
        return body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Damaged(f"{key}: it is not UTF-8: {error}") from error
