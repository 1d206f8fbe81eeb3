"""The extract job killed at every store call, and two of it at once over one folder: the same fold in the end."""

import multiprocessing
from pathlib import Path

from paramecium.errors import Stopped
from paramecium.jobs.extract_cursor import CursorKeeper
from paramecium.messages import Entry
from paramecium.store.local import LocalStore
from paramecium.store.ram import RamStore
from paramecium.store.stopping import StoppingStore
from tests.fakes import Killed, WatchedStore
from tests.jobs.extracting import THINGS, Model, Noted, folded
from tests.jobs.lives import copied

WORKERS = 2
TALKS = 8


def lively() -> Noted:
    """Returns a life with conflicts, an import that was asked for, a branch, and what waits for silence."""
    life = Noted()
    life.bring("jiu", *(f"旧：{thing}" for thing in THINGS))
    life.say("maobao", *THINGS)
    life.extract()
    life.now.forward(hours=2)
    life.say("xin", "豆包现在不爱吃小鱼干只吃罐头", "老家的桂花树被台风刮倒了一棵", *THINGS[1:3])
    life.say("maobao", "换个说法：阿月想去海边看日出", parent="maobao-1")
    life.archive.append("maobao", [Entry("c", 0, "choose", text="maobao-3")], 5)
    life.now.forward(hours=2)
    life.say("kurz", *THINGS[:2])
    keeper = CursorKeeper(life.store, "main", timezone="Asia/Shanghai", calls_per_day=9, now=life.now)
    keeper.ask_for({"jiu": {"n": 0, "left": 4, "at": ""}})
    return life


def test_killed_at_any_store_call_the_next_run_makes_it_whole() -> None:
    """Before or after each call: one more run gives the same memories, standing the same, and the same positions."""
    begun = lively()
    whole = Noted(copied(begun.store), begun.now)
    counted = WatchedStore(whole.store)
    whole.extract(counted)
    expected = folded(whole.state())
    assert sum(whole.state().standing(m) == "superseded" for m in whole.state().memories.values()) >= 2
    assert len(counted.calls) > 50
    for die_at in range(1, len(counted.calls) + 1):
        for after in (False, True):
            life = Noted(copied(begun.store), begun.now)
            try:
                life.extract(WatchedStore(life.store, die_at=die_at, after=after))
            except Killed:
                pass
            else:
                raise AssertionError("it did not die")
            life.extract()
            assert folded(life.state()) == expected, counted.calls[die_at - 1]
            for name in ("conversations", "asked", "arrivals", "unchecked", "tries"):
                assert life.cursor()[name] == whole.cursor()[name], (name, counted.calls[die_at - 1])


def test_asked_to_stop_it_stops_at_the_next_store_call() -> None:
    """After the first answer nothing more is asked; the next run goes on."""
    life = lively()
    model = life.model = Model()
    store = StoppingStore(life.store, lambda: bool(model.asked))
    try:
        life.extract(store)
    except Stopped:
        pass
    else:
        raise AssertionError("it did not stop")
    assert len(model.asked) == 1
    life.extract()
    other = lively()
    other.extract()
    assert folded(life.state()) == folded(other.state())


def work(folder: Path) -> None:
    """Runs the job once, as a process of its own."""
    life = Noted(LocalStore(folder))
    life.now.forward(hours=3)
    report = life.extract()
    assert report.failed is None


def test_two_workers_at_once_lose_nothing_and_note_nothing_twice(tmp_path: Path) -> None:
    """Two processes over one folder: every message is noted once, the calls of both are counted."""
    life = Noted(LocalStore(tmp_path))
    for i in range(TALKS):
        life.say(f"tan-{i}", *(f"第{i}谈：{thing}" for thing in THINGS))
    context = multiprocessing.get_context("forkserver")
    running = [context.Process(target=work, args=(tmp_path,)) for _ in range(WORKERS)]
    for process in running:
        process.start()
    for process in running:
        process.join(60)
    assert [process.exitcode for process in running] == [0] * WORKERS
    life.now.forward(hours=3)
    assert life.extract().added == 0
    alone = Noted(RamStore())
    for i in range(TALKS):
        alone.say(f"tan-{i}", *(f"第{i}谈：{thing}" for thing in THINGS))
    alone.now.forward(hours=3)
    alone.extract()
    assert sorted(life.contents()) == sorted(alone.contents())
    assert life.cursor()["conversations"] == alone.cursor()["conversations"]
    assert life.cursor()["unchecked"] == []
