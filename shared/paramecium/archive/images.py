"""Original images, each under the hash of its bytes.

Knows four formats by their headers and never believes a label; looks no deeper into an image.
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
# What a format's header must be, up to where it names a size that is not zero.
_HEADERS = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n\0\0\0\rIHDR(?!\0{4})[\s\S]{4}(?!\0{4})[\s\S]{4}"),
    "gif": re.compile(rb"GIF8[79]a(?!\0\0)[\s\S]{2}(?!\0\0)[\s\S]{5}"),
    "webp": re.compile(rb"RIFF[\s\S]{4}WEBPVP8[ LX][\s\S]{9}"),
}
_JPEG = b"\xff\xd8"
# https://www.w3.org/Graphics/JPEG/itu-t81.pdf, table B.1: markers of a frame, those without a length, and where none
# comes any more.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
_LATE = frozenset({0xD8, 0xD9, 0xDA})
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def put_image(store: AppendOnly, life: str, body: bytes) -> Json:
    """Stores an image and returns what an entry says of it: {"sha256", "ext", "media_type", "bytes"}.

    Raises BadInput when the bytes are no JPEG, PNG, GIF or WebP with a header that can be read.
    """
    ext = _format_of(body)
    if ext is None:
        raise BadInput("an image must be JPEG, PNG, GIF or WebP, with a header that can be read")
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


def _format_of(body: bytes) -> str | None:
    if _is_jpeg(body):
        return "jpg"
    return next((ext for ext, header in _HEADERS.items() if header.match(body)), None)


def _is_jpeg(body: bytes) -> bool:
    """Walks from marker to marker until a frame names its width; each step goes on, so the body's end is the bound."""
    at = len(_JPEG) if body.startswith(_JPEG) else len(body)
    while at + 9 <= len(body) and body[at] == 0xFF:
        marker, size = body[at + 1], int.from_bytes(body[at + 2 : at + 4])
        if marker in _FRAMES:
            return size >= 8 and any(body[at + 7 : at + 9])
        if marker in _LATE:
            return False
        # A marker may have any number of 0xFF before it.
        at += 1 if marker == 0xFF else 2 if marker in _BARE else 2 + max(size, 2)
    return False
