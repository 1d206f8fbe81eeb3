"""The view of a moment: what it asks of the store, what it leaves out, and what threads see of it."""

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from paramecium.archive.names import conversation_id
from paramecium.errors import Ambiguous, ConversationMissing, Damaged
from paramecium.jobs import rebuild
from paramecium.recall import exact
from paramecium.recall.limits import Limits
from paramecium.recall.views import open_fulltext
from paramecium.store import keys
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from tests.fakes import WatchedStore
from tests.recall.lives import Life, talkative


@pytest.mark.parametrize("conversations", [1, 60])
@pytest.mark.parametrize("waited", [timedelta(minutes=1), timedelta(days=900)])
def test_a_warm_recall_asks_twice(tmp_path: Path, conversations: int, waited: timedelta) -> None:
    """One conditional GET and one LIST, however much there is and however long ago it came into the index."""
    watched = WatchedStore(RamStore())
    life = Life(tmp_path, watched)
    talkative(life, 1, 120, conversations)
    life.build()
    assert life.find("设备").windows
    life.clock.moment += waited
    for limits in ({}, {"exact": True}, {"conversation": "t0"}, {"besides": "t0"}):
        watched.calls.clear()
        life.find("设备清单", **limits)
        assert watched.calls == [("get_if_changed", keys.manifest("main")), ("list", keys.arrivals("main"))]


def test_a_cold_recall_loads_each_object_once(tmp_path: Path) -> None:
    """A new process gets the manifest, lists arrivals, and fetches what the manifest names; a later one nothing."""
    watched = WatchedStore(RamStore())
    life = Life(tmp_path, watched)
    talkative(life, 1, 60, 3)
    life.build()
    named = [("fetch", o.key) for o in life.indexer().standing().manifest.objects()]
    life.forget_caches()
    watched.calls.clear()
    life.find("设备")
    assert sorted(watched.calls) == sorted([("get", keys.manifest("main")), ("list", keys.arrivals("main")), *named])
    life.say("t0", "新的一句")
    life.ingest()
    watched.calls.clear()
    life.find("设备")
    assert not any(key.endswith(".sqlite") for _, key in watched.calls)


def spoilt(life: Life, part: str) -> str:
    """Flips a byte of the newest object of a kind, in a new process; returns its key."""
    key = [o.key for o in life.indexer().standing().manifest.objects() if o.key.endswith(part)][-1]
    blob = life.store.get(key)
    life.store.replace(key, blob.body[:-1] + bytes([blob.body[-1] ^ 1]), blob.version)
    for file in life.folder.rglob("*"):
        if file.is_file():
            file.unlink()
    life.forget_caches()
    return key


def two_segments(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says something old, which is in the full text, and something newer that is in a segment of its own."""
    monkeypatch.setattr("paramecium.index.compaction.GROWN_PASSAGES_MAX", 0)
    life.say("old", "设备清单在抽屉里", "好的")
    life.ingest()
    life.say("new", "设备清单在箱子里", "好的")
    life.say("old", "设备清单后来呢")
    life.ingest()


@pytest.mark.parametrize("part", ["vectors", "words"])
@pytest.mark.parametrize("built", [False, True])
def test_a_damaged_segment_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, built: bool
) -> None:
    """The rest is found, by meaning and exactly, the answer says that something is missing, and a rebuild mends it."""
    life = Life(tmp_path)
    two_segments(life, monkeypatch)
    if built:
        life.build()
    whole = [sorted(life.texts("设备清单", exact=e, n=9)) for e in (False, True)]
    assert len(life.views.view().segments) == 2
    spoilt(life, part)
    for limits in ({}, {"exact": True}, {"conversation": "old"}):
        found = life.find("设备清单", **limits)
        assert [w.text for w in found.windows] == ["设备清单在抽屉里好的"]
        assert found.damaged
        assert found.to_json()["damaged"] is True
    assert any("a segment is left out" in line for line in life.warned)
    assert "部分索引损坏" in life.recall.answer({"query": "设备清单"}).text
    rebuild.rebuild(life.indexer())
    assert [sorted(life.texts("设备清单", exact=e, n=9)) for e in (False, True)] == whole
    assert not life.find("设备清单").damaged


def test_a_damaged_full_text_leaves_everything_findable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the full text all words are scanned, and the next nightly run makes it whole."""
    life = Life(tmp_path)
    two_segments(life, monkeypatch)
    life.build()
    spoilt(life, "sqlite")
    found = life.find("设备清单", exact=True)
    assert len(found.windows) == 2
    assert found.damaged
    assert life.views.view().fulltext is None
    assert any("the full text is left out" in line for line in life.warned)
    life.build()
    assert not life.find("设备清单").damaged
    assert life.views.view().fulltext is not None


def test_damage_is_looked_at_again_when_something_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is damaged is not fetched for every question, only when the view changes anyway."""
    watched = WatchedStore(RamStore())
    life = Life(tmp_path, watched)
    two_segments(life, monkeypatch)
    key = spoilt(life, "words")
    life.find("设备")
    watched.calls.clear()
    life.find("设备")
    assert [name for name, _ in watched.calls] == ["get_if_changed", "list"]
    life.say("old", "又一句")
    life.find("设备")
    assert ("fetch", key) in watched.calls


def test_downloads_of_an_older_index_are_removed(tmp_path: Path) -> None:
    """Only the files of what is live stay in the folder, and those of a local store stay where they are."""
    life = Life(tmp_path / "cache", LocalStore(tmp_path / "life"))
    ram = Life(tmp_path / "downloads")
    for one in (life, ram):
        for text in ("设备清单", "喝茶", "散步"):
            one.say("a", text)
            one.build()
            assert one.texts(text)
    assert len([file for file in ram.folder.iterdir() if file.is_file()]) == 3
    assert not list((tmp_path / "cache").glob("*"))
    named = life.indexer().standing().manifest.fulltext
    assert named is not None
    assert open_fulltext(life.store, named, life.folder).places() == frozenset({("a", 0), ("a", 1), ("a", 2)})


def test_a_manifest_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """Recall raises Damaged, and the tool says it in words."""
    life = Life(tmp_path)
    life.say("a", "设备清单")
    life.ingest()
    blob = life.store.get(keys.manifest("main"))
    life.store.replace(keys.manifest("main"), b"{}", blob.version)
    with pytest.raises(Damaged):
        life.find("设备")
    assert life.recall.answer({"query": "设备"}).is_error


def test_an_id_is_ours_or_the_original_one(tmp_path: Path) -> None:
    """Both find the conversation, neither is missing, both at once are ambiguous."""
    life = Life(tmp_path)
    ours = "x-" + "0" * 24
    life.say(ours, "设备清单")
    view = life.views.view()
    assert life.views.resolve(view, ours) == ours
    with pytest.raises(ConversationMissing, match="no conversation b"):
        life.views.resolve(view, "b")
    life.say("b", "喝茶")
    life.say(conversation_id("b"), "散步")
    with pytest.raises(Ambiguous, match=f"b is both b and {conversation_id('b')}"):
        life.views.resolve(life.views.view(), "b")


def searching(life: Life, stop: threading.Event, failed: list[BaseException]) -> None:
    """Asks again and again, and proves every answer by what was said; what it meets is left in `failed`."""
    try:
        while not stop.is_set():
            before = life.holding("茶")
            assert before <= {m.place for m in exact.find(life.views.view(), "茶", Limits())}
            for w in life.find("喝茶设备", n=20).windows:
                assert all(life.said[(w.conversation, p.said.n)][p.start : p.end] == p.text for p in w.pieces)
            assert life.catalogue.list()
    except BaseException as error:  # noqa: BLE001
        failed.append(error)


def test_threads_recall_while_others_ingest(tmp_path: Path) -> None:
    """Whatever is written meanwhile, every answer holds the words as they were said, and all that was said before."""
    life = Life(tmp_path)
    talkative(life, 1, 100, 5)
    failed: list[BaseException] = []
    stop = threading.Event()
    threads = [threading.Thread(target=searching, args=(life, stop, failed)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for n in range(12):
        life.say(f"t{n % 5}", f"第{n}次喝茶")
        (life.build if n % 4 == 3 else life.ingest)()
    stop.set()
    for thread in threads:
        thread.join()
    assert failed == []
