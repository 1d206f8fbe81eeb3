"""Which earlier memories a note is compared with: the nearest, those of the same run included, never a retired one."""

from pathlib import Path

from paramecium.jobs.similar import SIMILAR_MIN, Similar
from paramecium.memories.events import Added, Event, Note, Retired, What
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.quotes import memory_id
from paramecium.memories.views import MemoryViews
from paramecium.store.ram import RamStore
from tests.fakes import HashEmbedder

CATS = tuple(f"豆包最喜欢吃小鱼干{end}" for end in "了呢吧啊嘛呀哦噢哟咯呗嗯")


def note(content: str) -> Note:
    """Returns a note whose quote is its content."""
    return Note(memory_id("c", content, 0, len(content), content), content, content, "c", content, 0, 0, len(content))


def similar_over(folder: Path, *what: What) -> Similar:
    """Returns a search over a life in which this happened, with its snapshot kept."""
    store, embedder = RamStore(), HashEmbedder()
    ledger = Ledger(store, "main")
    ledger.append([Event(f"e{i}", "2026-06-12T00:00:00+08:00", "extract", one) for i, one in enumerate(what)])
    keep_snapshot(Keeper(store, "main", ledger, embedder, folder))
    return Similar(MemoryViews(store, "main", ledger, folder).view, embedder)


def test_at_most_ten_the_nearest_first(tmp_path: Path) -> None:
    """Of twelve that tell of one thing ten are found, and what tells of another is not."""
    far = note("明天早上八点的火车去杭州出差")
    found = similar_over(tmp_path, *(Added(note(c)) for c in CATS), Added(far))([note("豆包最喜欢吃小鱼干")])
    assert len(found[0]) == 10
    assert far not in found[0]
    assert {n.content for n in found[0]} <= set(CATS)


def test_a_note_is_not_compared_with_itself_nor_with_what_was_retired(tmp_path: Path) -> None:
    """Of two that stand and are alike, one is retired: the other has nobody to be compared with."""
    first, second = note(CATS[0]), note(CATS[1])
    assert similar_over(tmp_path, Added(first), Added(second))([first]) == [(second,)]
    assert similar_over(tmp_path, Added(first), Added(second), Retired(second.id))([first]) == [()]


def test_notes_of_one_run_are_compared_with_each_other(tmp_path: Path) -> None:
    """What no snapshot knows yet is found, too, in the same question and in a later one."""
    search = similar_over(tmp_path)
    first, second, third = (note(c) for c in CATS[:3])
    assert search([]) == []
    assert search([first, second]) == [(), (first,)]
    assert set(search([third])[0]) == {first, second}
    assert 0 < SIMILAR_MIN < 1
