"""Verify: faults of the archive itself, and which remedy fits a fault."""

from pathlib import Path

import pytest

from paramecium.jobs.verify import verify
from paramecium.messages import Entry, Json
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.jobs.lives import Life, MeanwhileStore, manifest_of, messages, put, small_life


@pytest.fixture
def life(tmp_path: Path) -> Life:
    """Returns a life that is wholly indexed, and verified to be sound."""
    life = small_life(RamStore(), tmp_path)
    life.fts()
    report = life.verify()
    assert (report.problems, report.archive_problems, report.index_problems) == ((), 0, 0)
    return life


def test_what_is_written_meanwhile_is_no_problem(life: Life) -> None:
    """A block that came after its conversation was read stands when its arrival is looked at."""

    def write() -> None:
        life.say("maobao", Entry("spaet", 0, role="user", text="刚刚说的"))

    watched = MeanwhileStore(life.store, "list", "archive/arrivals/", write)
    report = verify(life.indexer(watched))
    assert watched.happened
    assert report.problems == ()


def test_a_block_in_a_folder_too_deep_is_no_block(life: Life) -> None:
    """It is named once, belongs to no conversation, and hinders no job."""
    key = "main/archive/conversations/maobao/copy/00000000.json"
    life.store.create(key, b"[]")
    assert life.verify().problems == (f"{key} is not the name of a block",)
    assert "copy" not in dict(life.archive.heads())
    assert life.fts().unreadable == ()
    assert len(life.archive.read("maobao")) == 11


def test_a_conversation_without_a_block_is_a_problem(life: Life) -> None:
    """Its last block vanished between the listing and the reading."""
    name = keys.block("main", "neu", 0)
    life.store.create(name, b"[]")
    watched = MeanwhileStore(life.store, "list", "conversations/neu/", lambda: life.store.delete(name))
    assert "neu is listed in the archive and none of its blocks stands" in verify(life.indexer(watched)).problems


def test_an_id_in_two_conversations_is_a_problem(life: Life) -> None:
    """An id names one entry of the whole life."""
    life.archive.append("neu", [Entry("maobao-3", 0, role="user", text="同一个名字")], 0)
    assert life.verify().problems == ("maobao and neu both have an entry with the id maobao-3",)


def _round(*texts: str) -> Json:
    return {"role": "assistant", "content": [{"type": "text", "text": text} for text in texts]}


def test_an_answer_that_is_not_what_its_rounds_say_is_a_problem(life: Life) -> None:
    """The text of an answer is the words of its rounds, joined as a turn joins them."""
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "找到了"}]}
    rounds = (_round("我查", "一下"), result, _round(), _round("是周三"))
    right = Entry("r-1", 0, role="assistant", text="我查一下\n\n是周三", rounds=rounds)
    wrong = Entry("r-2", 0, role="assistant", text="我查一下\n\n是周四", rounds=rounds)
    life.say("neu", right, wrong)
    report = life.verify()
    assert report.problems == ("neu: the text of entry r-2 is not what its rounds say",)
    assert (report.archive_problems, report.index_problems) == (1, 0)


def test_a_fault_of_the_index_is_mended_by_making_it_anew(life: Life) -> None:
    """What is missing of the index counts as the index's."""
    life.store.delete(manifest_of(life.store).segments[0].words.key)
    report = life.verify()
    assert report.archive_problems == 0
    assert report.index_problems == len(report.problems) > 0


def test_a_fault_of_the_archive_is_not(life: Life) -> None:
    """A block that is damaged or gone, or has other words than the index: the archive is to be put back first."""
    first, last = keys.block("main", "maobao", 0), keys.block("main", "shishi", 3)
    body = life.store.get(first).body
    for key, damaged in ((first, b"[{}]"), (first, body.replace("豆包".encode(), "狗狗".encode())), (last, None)):
        kept = life.store.get(key).body
        put(life.store, key, damaged or b"[]")
        if damaged is None:
            life.store.delete(key)
        report = life.verify()
        assert report.archive_problems == len(report.problems) > 0, key
        put(life.store, key, kept)
    assert life.verify().problems == ()
    life.archive.append("neu", messages("neu", 2), 0)
    assert life.verify().to_json().keys() == {"entries", "passages", "waiting", "problems"}
