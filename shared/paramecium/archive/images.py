"""Original images, each under the hash of its bytes.

Knows four formats by their first bytes and never believes a label; looks no deeper into an image.
Invariant: what `get_image` returns has the hash it was stored under.
"""

import hashlib
import re
from typing import Final

from paramecium.archive.once import ensure
from paramecium.errors import BadInput, Damaged
from paramecium.messages import Json
from paramecium.store import keys
from paramecium.store.base import AppendOnly

MEDIA_TYPES: Final = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp"}
_MAGIC = {
    "jpg": re.compile(rb"\xff\xd8\xff"),
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def put_image(store: AppendOnly, life: str, body: bytes) -> Json:
    """Stores an image and returns what an entry says of it: {"sha256", "ext", "media_type", "bytes"}.

    Raises BadInput when the bytes are no JPEG, PNG, GIF or WebP.
    """
    ext = next((ext for ext, magic in _MAGIC.items() if magic.match(body)), None)
    if ext is None:
        raise BadInput("an image must be JPEG, PNG, GIF or WebP")
    sha256 = hashlib.sha256(body).hexdigest()
    ensure(store, keys.image(keys.check_life(life), sha256, ext), body)
    return {"sha256": sha256, "ext": ext, "media_type": MEDIA_TYPES[ext], "bytes": len(body)}


def get_image(store: AppendOnly, life: str, image: Json) -> bytes:
    """Returns the bytes of an image an entry names; raises KeyMissing, and Damaged when name or bytes are not right."""
    sha256, ext = image.get("sha256"), image.get("ext")
    if not isinstance(sha256, str) or not _SHA256.match(sha256) or ext not in MEDIA_TYPES:
        raise Damaged(f"an entry names an image that cannot be one of ours: {sha256!r:.80} {ext!r:.20}")
    key = keys.image(keys.check_life(life), sha256, ext)
    body = store.get(key).body
    if hashlib.sha256(body).hexdigest() != sha256:
        raise Damaged(f"{key}: its bytes do not have the hash in its name")
    return body
