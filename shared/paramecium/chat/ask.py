"""What may be asked, checked before anything is stored.

Pure. Knows the limits of one question; what stands in the archive is checked where it is read.
Invariant: a question that passes can be stored and rendered, character for character.
"""

from dataclasses import replace
from typing import Final

from paramecium.chat.events import Ask
from paramecium.errors import BadId, BadInput, TooLarge
from paramecium.messages import check_id, whole

TEXT_BYTES_MAX: Final = 1_000_000
IMAGES_MAX: Final = 20
NAME_CHARS_MAX: Final = 500
IMAGE_BYTES_MAX: Final = 5_000_000


def checked(ask: Ask) -> Ask:
    """Returns the question with its text whole; raises BadId, BadInput, TooLarge.

    A conversation may be named by the id it had where it was imported from, which has no form.
    """
    check_id(ask.turn)
    if ask.parent:
        check_id(ask.parent)
    if ask.conversation is not None and (not ask.conversation or len(ask.conversation) > NAME_CHARS_MAX):
        raise BadId(f"not a conversation: {ask.conversation!r:.80}")
    if ask.parent is not None and ask.conversation is None:
        raise BadInput("a parent was named but no conversation")
    if (not ask.text or ask.text.isspace()) and not ask.images:
        raise BadInput("a message needs words or an image")
    text = whole(ask.text)
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_BYTES_MAX:
        raise TooLarge(f"a message may have {TEXT_BYTES_MAX} bytes of text; attach or import what is longer")
    if len(ask.images) > IMAGES_MAX:
        raise TooLarge(f"a message may have {IMAGES_MAX} images; it has {len(ask.images)}")
    if any(len(image) > IMAGE_BYTES_MAX for image in ask.images):
        raise TooLarge(f"an image may have {IMAGE_BYTES_MAX} bytes; make it smaller first")
    return replace(ask, text=text)
