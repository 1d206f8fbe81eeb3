"""The id of a memory: a hash of the words and their place."""

import hashlib

from paramecium.memories.quotes import memory_id
from paramecium.messages import check_id


def test_an_id_is_made_of_the_words_and_their_place() -> None:
    """The same five give the same id, any other one another; half a character counts too."""
    place = ("maobao", "m-3", 2, 9, "半个\ud83d表情")
    body = '["maobao","m-3",2,9,"半个\\ud83d表情"]'.encode()
    ident = memory_id(*place)
    assert check_id(ident) == "m-" + hashlib.sha256(body).hexdigest()[:24]
    others = [
        memory_id("banjia", *place[1:]),
        memory_id("maobao", "m-4", 2, 9, place[4]),
        memory_id("maobao", "m-3", 1, 9, place[4]),
        memory_id("maobao", "m-3", 2, 8, place[4]),
        memory_id(*place[:4], "半个表情"),
    ]
    assert len({ident, *others}) == 6
