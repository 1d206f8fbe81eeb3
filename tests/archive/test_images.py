"""Original images under the hash of their bytes."""

import hashlib

import pytest

from paramecium.archive.images import get_image, put_image
from paramecium.errors import BadId, BadInput, Damaged, KeyMissing
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore

BODIES = {
    "jpg": b"\xff\xd8\xff\xe0 jpeg",
    "png": b"\x89PNG\r\n\x1a\n png",
    "gif": b"GIF89a gif",
    "webp": b"RIFF\x0a\x00\x00\x00WEBPVP8 ",
}


@pytest.mark.parametrize("ext", sorted(BODIES))
def test_an_image_is_known_by_its_first_bytes(ext: str) -> None:
    """Each of the four formats is stored under its hash and comes back byte for byte."""
    store = RamStore()
    image = put_image(store, "main", BODIES[ext])
    assert image["sha256"] == hashlib.sha256(BODIES[ext]).hexdigest()
    assert (image["ext"], image["bytes"]) == (ext, len(BODIES[ext]))
    assert image["media_type"] == f"image/{'jpeg' if ext == 'jpg' else ext}"
    assert get_image(store, "main", image) == BODIES[ext]


@pytest.mark.parametrize("body", [b"", b"<svg/>", b"RIFF1234WAVE", b"\x00\xff\xd8\xff", b"\x89PN", b"%PDF-1.7"])
def test_other_bytes_are_refused(body: bytes) -> None:
    """What is none of the four formats is bad input and leaves nothing behind."""
    store = RamStore()
    with pytest.raises(BadInput):
        put_image(store, "main", body)
    assert not list(store.list(""))


def test_the_same_image_twice_is_one() -> None:
    """An image that was stored before is stored no second time."""
    store = RamStore()
    assert put_image(store, "main", BODIES["png"]) == put_image(store, "main", BODIES["png"])
    assert len(list(store.list(""))) == 1


def test_bytes_that_changed_are_damage() -> None:
    """An image whose bytes no longer have its hash is not served."""
    store = RamStore()
    image = put_image(store, "main", BODIES["png"])
    key = keys.image("main", image["sha256"], "png")
    store.replace(key, BODIES["png"] + b"!", store.get(key).version)
    with pytest.raises(Damaged, match=key):
        get_image(store, "main", image)


@pytest.mark.parametrize("change", [{"sha256": "../../x"}, {"sha256": None}, {"ext": "svg"}, {"ext": "png/../x"}])
def test_a_name_that_cannot_be_one_of_ours_reaches_no_key(change: dict[str, str]) -> None:
    """An entry that names an impossible image is damaged, and the store is not asked."""
    store = WatchedStore(RamStore())
    image = put_image(store, "main", BODIES["png"])
    asked = len(store.calls)
    with pytest.raises(Damaged):
        get_image(store, "main", image | change)
    assert len(store.calls) == asked


def test_an_image_that_is_not_there_and_a_life_that_is_none() -> None:
    """A missing image is missing, and a life is checked before it is part of a key."""
    store = RamStore()
    image = put_image(store, "main", BODIES["gif"])
    with pytest.raises(KeyMissing):
        get_image(store, "other", image)
    with pytest.raises(BadId):
        put_image(store, "../x", BODIES["gif"])
