"""Importing a file: what comes in, what it becomes, and what is told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from paramecium.archive.names import conversation_id
from paramecium.errors import BadInput
from paramecium.jobs import import_file as job
from paramecium.jobs.import_file import import_file
from paramecium.messages import Entry
from paramecium.settings import Settings
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.jobs.import_files import archive_of, bring, messages, objects, parents, said, talk, texts, walked, write

CAT = talk(
    "旧-1",
    said("我的猫叫豆包", at="2024-05-01T10:00:00+08:00", speaker="月亮"),
    said("真可爱\r\n", "assistant", at="2024-05-01T10:00:05+08:00"),
    said("  它今天病了🐱\ud83d ", at="2024-05-01T10:01:00+08:00"),
    title="豆包",
)
DOG = talk("旧-2", said("楼下有只狗"), said("什么样的？", "assistant"))


def test_a_file_comes_in_word_for_word(tmp_path: Path) -> None:
    """Every message stands under our id of its conversation, in order, each hanging on the one before."""
    store = RamStore()
    report = bring(store, write(tmp_path / "f", CAT, DOG))
    assert (report.conversations, report.messages, report.added, report.already, report.refused) == (2, 5, 5, 0, ())
    entries = messages(store, "旧-1")
    assert texts(entries) == ["我的猫叫豆包", "真可爱\r\n", "  它今天病了🐱\ud83d "]
    assert [e.parent for e in entries] == [None, entries[0].id, entries[1].id]
    assert [e.speaker for e in entries] == ["月亮", "小草", "阿月"]
    assert [e.role for e in entries] == ["user", "assistant", "user"]
    assert {c for c, _ in archive_of(store).heads()} == {conversation_id("旧-1"), conversation_id("旧-2")}


def test_an_entry_keeps_where_it_came_from(tmp_path: Path) -> None:
    """Original ids, position, the date as it was and all further fields stand in the source."""
    store = RamStore()
    file = write(tmp_path / "f", talk("旧-3", said("嗯", id="a", at="昨天", likes=2), said("好", at=None), tags=["猫"]))
    bring(store, file)
    origin = {"client": "import", "format": "jsonlines", "conversation": "旧-3"}
    first, second = messages(store, "旧-3")
    assert first.source == origin | {
        "id": "a", "position": 0, "at": "昨天", "extra": {"likes": 2}, "conversation_extra": {"tags": ["猫"]},
    }  # fmt: skip
    assert second.source == origin | {"position": 1}


def test_a_second_import_adds_nothing_whatever_the_settings(tmp_path: Path) -> None:
    """The same file again leaves the archive as it is, even when zone and names were changed between."""
    store, file = RamStore(), write(tmp_path / "f", CAT, DOG)
    bring(store, file)
    before = objects(store)
    other = Settings(timezone="Europe/Berlin", person="甲", ai="乙")
    report = import_file(file, archive_of(store), other, covered=lambda _: 99)
    assert (report.messages, report.added, report.already) == (5, 0, 5)
    assert objects(store) == before


def test_a_longer_file_adds_its_tail(tmp_path: Path) -> None:
    """What was said since the last export is added behind, and nothing else."""
    store = RamStore()
    bring(store, write(tmp_path / "f", DOG))
    longer = talk("旧-2", *DOG["messages"], said("黄的"), said("哦", "assistant"))
    report = bring(store, write(tmp_path / "g", longer))
    assert (report.added, report.already) == (2, 2)
    assert walked(store, "旧-2") == ["楼下有只狗", "什么样的？", "黄的", "哦"]


@pytest.mark.parametrize("names", [("a", "b", "c", "d"), (None, None, None, None)])
def test_an_edited_message_becomes_a_sibling(tmp_path: Path, names: tuple[str | None, ...]) -> None:
    """Old and new words stand side by side; what follows stays where it hangs, and the path ends as the file does."""
    store = RamStore()
    a, b, c, d = (said(t, id=n) for t, n in zip(("问", "答", "谢", "再见"), names, strict=True))
    bring(store, write(tmp_path / "f", talk("旧-1", a, b, c)))
    edited = b | {"content": "改过的答"}
    assert bring(store, write(tmp_path / "g", talk("旧-1", a, edited, c))).added == 1
    assert parents(store, "旧-1") == [(None, "问"), ("问", "答"), ("答", "谢"), ("问", "改过的答")]
    assert walked(store, "旧-1") == ["问", "答", "谢"]
    before = objects(store)
    bring(store, tmp_path / "g")
    assert objects(store) == before
    bring(store, write(tmp_path / "h", talk("旧-1", a, edited, c, d)))
    assert parents(store, "旧-1")[-1] == ("谢", "再见")
    assert walked(store, "旧-1") == ["问", "答", "谢", "再见"]


def test_branches_come_in_and_the_path_ends_where_the_file_ends(tmp_path: Path) -> None:
    """A tree keeps its branches; a later file that ends on an older branch chooses it, once."""
    store = RamStore()
    q, r, s = said("问", id="q"), said("答", id="r", parent="q"), said("再答", id="s", parent="q")
    bring(store, write(tmp_path / "f", talk("旧-1", q, r, s)))
    assert walked(store, "旧-1") == ["问", "再答"]
    for _ in range(2):
        bring(store, write(tmp_path / "g", talk("旧-1", q, s, r)))
        assert walked(store, "旧-1") == ["问", "答"]
    assert [e.kind for e in archive_of(store).read(conversation_id("旧-1"))].count("choose") == 1


def test_a_talk_that_went_on_here_keeps_its_end(tmp_path: Path) -> None:
    """The old file again does not lead the path away from what was said in Paramecium since."""
    store, archive = RamStore(), None
    bring(store, write(tmp_path / "f", DOG))
    archive, conv = archive_of(store), conversation_id("旧-2")
    leaf = messages(store, "旧-2")[-1].id
    archive.append(conv, [Entry("live-1", 0, parent=leaf, role="user", text="黄的", source={"client": "owner"})], 2)
    bring(store, tmp_path / "f")
    assert walked(store, "旧-2") == ["楼下有只狗", "什么样的？", "黄的"]
    archive.append(conv, [Entry("live-2", 0, "choose", text=messages(store, "旧-2")[0].id)], 3)
    bring(store, tmp_path / "f")
    assert walked(store, "旧-2") == ["楼下有只狗"]


def _titles(store: RamStore) -> list[str]:
    return [e.text for e in archive_of(store).read(conversation_id("旧-1")) if e.kind == "rename"]


def test_a_title_is_taken_when_the_file_changes_it(tmp_path: Path) -> None:
    """Each new title of the files is a renaming, going back included; a person's own later name stays."""
    store = RamStore()
    for title in ("豆包", "豆包", "猫", "豆包", ""):
        bring(store, write(tmp_path / "f", CAT | {"title": title}))
    assert _titles(store) == ["豆包", "猫", "豆包"]
    conv = conversation_id("旧-1")
    archive_of(store).append(conv, [Entry("live-1", 0, "rename", text="我家的猫")], 6)
    bring(store, write(tmp_path / "f", CAT))
    assert _titles(store)[-1] == "我家的猫"


def test_another_beginning_is_refused_and_the_rest_comes_in(tmp_path: Path) -> None:
    """By words without ids, by id with them: a conversation that begins differently is told with its line."""
    store = RamStore()
    bring(store, write(tmp_path / "f", DOG, talk("旧-3", said("早", id="a"))))
    strange = talk("旧-2", said("另一个开头"))
    report = bring(store, write(tmp_path / "g", strange, talk("旧-3", said("早", id="z")), CAT))
    assert [bad.line for bad in report.refused] == [1, 2]
    assert "another first message" in report.refused[0].reason
    assert (report.conversations, report.added, report.already) == (3, 3, 0)
    assert texts(messages(store, "旧-2")) == ["楼下有只狗", "什么样的？"]
    assert bring(store, write(tmp_path / "h", talk("旧-3", said("早上好", id="a")))).refused == ()
    assert parents(store, "旧-3") == [(None, "早"), (None, "早上好")]


def test_a_forgotten_beginning_refuses_nothing(tmp_path: Path) -> None:
    """Where the first message was forgotten there is nothing to compare, and its words do not come back."""
    store = RamStore()
    bring(store, write(tmp_path / "f", DOG))
    key = keys.block("main", conversation_id("旧-2"), 0)
    first, second = archive_of(store).read(conversation_id("旧-2"))
    store.delete(key)
    archive_of(store).append(conversation_id("旧-2"), [Entry(first.id, 0, "tombstone"), second], 0)
    report = bring(store, tmp_path / "f")
    assert (report.refused, report.added) == ((), 0)


def test_bad_lines_and_damaged_conversations_are_told(tmp_path: Path) -> None:
    """What cannot be read, or meets a broken block, is refused with its line; the rest comes in."""
    store = RamStore()
    key = keys.block("main", conversation_id("旧-2"), 0)
    store.create(key, b"[{]")
    report = bring(store, write(tmp_path / "f", b"{", DOG, CAT))
    assert [bad.line for bad in report.refused] == [1, 2]
    assert key in report.refused[1].reason
    assert (report.conversations, report.messages, report.added) == (2, 5, 3)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """A missing file, a folder, and a file of another kind say what is wrong."""
    with pytest.raises(BadInput, match="cannot read"):
        bring(RamStore(), tmp_path / "nothing")
    with pytest.raises(BadInput, match="cannot read"):
        bring(RamStore(), tmp_path)
    with pytest.raises(BadInput, match="line 1: this is not JSON"):
        bring(RamStore(), write(tmp_path / "zip", *[b"PK\x03\x04"] * job.STRANGE_LINES_MAX))


def test_an_empty_conversation_leaves_nothing(tmp_path: Path) -> None:
    """A conversation without messages is counted and not stored; so is an empty file."""
    store = RamStore()
    report = bring(store, write(tmp_path / "f", talk("旧-1", title="空")))
    assert (report.conversations, report.messages, objects(store)) == (1, 0, {})
    assert bring(store, write(tmp_path / "g")).conversations == 0


def test_what_the_index_does_not_cover_is_announced_again(tmp_path: Path) -> None:
    """A conversation whose arrival was lost is named again, one the index covers is not; what waits is counted."""
    store, file = RamStore(), write(tmp_path / "f", CAT, DOG)
    bring(store, file)
    since = datetime(2026, 6, 12, tzinfo=UTC)
    for arrival in list(archive_of(store).arrivals(since)):
        store.delete(arrival.key)
    covered = {conversation_id("旧-1"): 1, conversation_id("旧-2"): 2}
    report = bring(store, file, covered=covered.__getitem__)
    assert [a.conversation for a in archive_of(store).arrivals(since)] == [conversation_id("旧-1")]
    assert report.waiting == 2


def test_progress_and_store_calls(tmp_path: Path) -> None:
    """Progress runs to the end of the file; a new conversation is a LIST, a block and its arrival."""
    store, seen = WatchedStore(RamStore()), list[tuple[int, int]]()
    file = write(tmp_path / "f", CAT, DOG)
    bring(store, file, progress=lambda read, total: seen.append((read, total)))
    size = file.stat().st_size
    assert [total for _, total in seen] == [size] * 2
    assert [read for read, _ in seen] == sorted(read for read, _ in seen)
    assert seen[-1][0] == size
    assert [name for name, _ in store.calls] == ["list", "create", "create"] * 2


def test_a_line_without_end_is_never_held_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line over the limit no more is read at once than shows it; the next line comes in."""
    monkeypatch.setattr(job, "LINE_BYTES_MAX", 400)
    monkeypatch.setattr("paramecium.foreign.jsonlines.LINE_BYTES_MAX", 400)
    monkeypatch.setattr(job, "_SKIP_BYTES", 7)
    store = RamStore()
    report = bring(store, write(tmp_path / "f", b"x" * 5000, DOG, b"x" * 401))
    assert [bad.line for bad in report.refused] == [1, 3]
    assert report.added == 2
    assert max(len(line) for line in job._lines(tmp_path / "f", lambda _r, _t: None)) == 403
