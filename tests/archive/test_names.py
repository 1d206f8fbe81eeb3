"""Ids made from foreign things."""

import hashlib

from paramecium.archive.names import conversation_id, entry_id
from paramecium.messages import check_id


def test_a_conversations_id_is_the_hash_of_its_original_one() -> None:
    """Anybody who knows the original id can say ours."""
    assert conversation_id("旧对话/1") == "x-" + hashlib.sha256("旧对话/1".encode()).hexdigest()[:24]
    assert check_id(conversation_id("\ud83d"))


def test_parts_of_an_entrys_id_do_not_run_into_each_other() -> None:
    """The same characters cut otherwise are another id; the same parts are the same id."""
    assert entry_id("a", "bc") == entry_id("a", "bc")
    assert len({entry_id("a", "bc"), entry_id("ab", "c"), entry_id("abc"), entry_id("a", "bc", None)}) == 4
    assert check_id(entry_id("猫", None, 1.5, {"a": []}))
