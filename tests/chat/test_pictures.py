"""Images of the transcript: read once, bounded, and never in the way."""

import pytest

from paramecium.chat import pictures
from paramecium.chat.pictures import Pictures
from paramecium.errors import Damaged, KeyMissing
from paramecium.messages import Json


class Shelf:
    """Holds images by hash and counts who asks."""

    def __init__(self, **images: bytes | Exception) -> None:
        self.images = images
        self.asked: list[str] = []

    def __call__(self, image: Json) -> bytes:
        self.asked.append(image["sha256"])
        found = self.images[image["sha256"]]
        if isinstance(found, Exception):
            raise found
        return found


def test_an_image_is_read_once() -> None:
    """The second time it comes from memory."""
    shelf = Shelf(a=b"min")
    kept = Pictures(shelf)
    assert [kept({"sha256": "a"}), kept({"sha256": "a"})] == ["bWlu", "bWlu"]
    assert shelf.asked == ["a"]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The image used longest ago goes first, and one over the limit is given and not kept."""
    monkeypatch.setattr(pictures, "KEPT_CHARS_MAX", 8)
    shelf = Shelf(a=b"min", b=b"min", c=b"min", d=b"m" * 30)
    kept = Pictures(shelf)
    for name in "abacbd":
        assert kept({"sha256": name})
    assert "".join(shelf.asked) == "abcbd"


@pytest.mark.parametrize("error", [KeyMissing("gone"), Damaged("rotten")])
def test_an_image_that_cannot_be_read_is_none_and_a_line_in_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """A missing or damaged original stops nothing."""
    assert Pictures(Shelf(a=error))({"sha256": "a"}) is None
    assert str(error) in caplog.text
