"""Original images under the hash of their bytes."""

import hashlib

import pytest

from paramecium.archive.images import get_image, put_image
from paramecium.errors import BadId, BadInput, Damaged, KeyMissing
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import PNG, WatchedStore

BODIES = {
    "jpg": b"\xff\xd8\xff\xe0\x00\x04JF\xff\xff\xc2\x00\x0b\x08\x00\x01\x00\x02\x01",
    "png": PNG,
    "gif": b"GIF89a\x01\x00\x02\x00\x80\x00\x00",
    "webp": b"RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x10\x00\x00\x9d\x01",
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


@pytest.mark.parametrize("ext", sorted(BODIES))
def test_a_header_that_stops_short_is_refused(ext: str) -> None:
    """The first bytes of a format alone are no image: whatever is cut off before the size is bad input."""
    store = RamStore()
    least = {"jpg": 18, "png": 24, "gif": 13, "webp": 25}[ext]
    assert put_image(store, "main", BODIES[ext][:least])["ext"] == ext
    for end in range(3, least):
        with pytest.raises(BadInput):
            put_image(store, "main", BODIES[ext][:end])


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xd8\xff",
        BODIES["jpg"].replace(b"\xff\xc2", b"\xff\xc4") + b"\0" * 20,
        BODIES["jpg"].replace(b"\xff\xc2", b"\xff\xda") + b"\0" * 20,
        BODIES["png"].replace(b"\0\0\0\x02", b"\0\0\0\0"),
        BODIES["gif"].replace(b"\x01\0", b"\0\0"),
        BODIES["webp"].replace(b"VP8 ", b"ICCP"),
    ],
)
def test_an_image_without_a_size_is_refused(body: bytes) -> None:
    """A frame that never comes, or a size of zero, is bad input."""
    with pytest.raises(BadInput):
        put_image(RamStore(), "main", body)


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
