"""Remember: paths and messages come from the archive; a rebuild makes the snapshot anew; garbage goes after a day."""

from pathlib import Path

from paramecium.jobs import garbage
from paramecium.jobs.rebuild import rebuild
from paramecium.jobs.remember import Messages, remember
from paramecium.memories.events import Added, Event, Recalled
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.views import MemoryViews
from paramecium.messages import Entry
from paramecium.store import keys
from paramecium.store.ram import RamStore
from tests.jobs.lives import Life, objects, put, small_life
from tests.memories.lives import AT, context, marks, note, plain

BLOCKS = keys.memory_blocks("main")


def _event(i: int, conversation: str, message: str) -> Event:
    return Event(f"a-{i}", AT, "test", Added(note(i, conversation=conversation, message=message)))


def _keeper(life: Life) -> Keeper:
    return Keeper(life.store, "main", Ledger(life.store, "main"), life.embedder, life.folder, marks=marks, now=life.now)


def _plain(life: Life) -> object:
    return plain(MemoryViews(life.store, "main", Ledger(life.store, "main"), life.folder, marks=marks).view())


def _life(folder: Path) -> Life:
    """A conversation whose second message was said again otherwise, with a memory of both, and one of a lost talk."""
    life = small_life(RamStore(), folder)
    said = [Entry(f"y{i}", i, parent=f"y{i - 1}" if i else None, role="user", text=f"第{i}句") for i in range(2)]
    life.say("yu", *said, Entry("y1b", 2, parent="y0", role="user", text="换个说法"))
    moment = Recalled(("m-0",), conversation="yu", message="y1b", context=context(1, "old/1", 8))
    some = [_event(0, "yu", "y0"), _event(1, "yu", "y1"), _event(2, "yu", "y1b"), _event(3, "gone", "g0")]
    Ledger(life.store, "main").append([*some, Event("r", AT, "test", moment)])
    return life


def test_what_left_the_path_is_not_live(tmp_path: Path) -> None:
    """A memory of a message that was said again otherwise is not offered; one of a talk that cannot be read is."""
    life = _life(tmp_path)
    assert remember(_keeper(life), life.archive).written
    view = MemoryViews(life.store, "main", Ledger(life.store, "main"), life.folder, marks=marks).view()
    assert view.live.tolist() == [True, False, True, True]
    assert view.moment_memories == ((0,),)
    assert not remember(_keeper(life), life.archive, ["yu"]).written
    assert Messages(life.archive).text_of("yu", "y1b") == "换个说法"
    assert Messages(life.archive).text_of("yu", "y7") is Messages(life.archive).text_of("不是", "y0") is None


def test_without_anything_derived_a_rebuild_gives_the_same_view(tmp_path: Path) -> None:
    """All of derived/ is removed and rebuilt: vectors, paths, moments, words and mean are as they were."""
    life = _life(tmp_path)
    remember(_keeper(life), life.archive)
    before, canonical = _plain(life), objects(life.store, "main/")
    for key in objects(life.store, "derived/"):
        life.store.delete(key)
    assert _plain(life) != before
    rebuild(life.indexer(), _keeper(life))
    assert _plain(life) == before
    assert objects(life.store, "main/") == canonical
    rebuild(life.indexer(), _keeper(life))
    assert _plain(life) == before


def test_blocks_that_nobody_names_go_after_a_day_and_events_never(tmp_path: Path) -> None:
    """What a pointer of the last 24 h named stays, so does what was just made; a damaged pointer clears nothing."""
    life = _life(tmp_path)
    life.fts()
    keep_snapshot(_keeper(life))
    (old,) = life.store.list(BLOCKS)
    life.now.forward(hours=2)
    keep_snapshot(_keeper(life), anew=True)
    life.store.create(keys.memory_block("main", "01jz6b3v8k5w2d9y7q4m1n0p3r"), b"left by a killed run")
    canonical = objects(life.store, "main/")
    life.now.forward(hours=23, minutes=50)
    pointer = life.store.get(keys.memory_snapshot("main")).body
    put(life.store, keys.memory_snapshot("main"), b"{")
    garbage.clear(life.indexer())
    assert len(list(life.store.list(BLOCKS))) == 3
    put(life.store, keys.memory_snapshot("main"), pointer)
    life.now.forward(minutes=1)
    garbage.clear(life.indexer())
    assert old in life.store.list(BLOCKS)
    life.now.forward(minutes=20)
    assert garbage.clear(life.indexer()) >= 1
    (left,) = life.store.list(BLOCKS)
    assert left != old
    assert objects(life.store, "main/") == canonical
    assert len(MemoryViews(life.store, "main", Ledger(life.store, "main"), tmp_path, marks=marks).view().rows) == 4
