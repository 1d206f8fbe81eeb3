"""What a run of the extract job costs at the store: it comes every ten minutes for years, mostly to nothing new."""

from datetime import timedelta

import pytest

from paramecium.jobs.extract_pending import TAIL
from paramecium.memories.events import Event, Recalled
from paramecium.memories.ledger import Ledger
from paramecium.store import keys
from tests.fakes import Killed, WatchedStore
from tests.jobs.extracting import THINGS, Noted


def _talked(conversations: int) -> Noted:
    life = Noted()
    life.now.step = timedelta(milliseconds=1)
    for i in range(conversations):
        life.say(f"c-{i}", *(f"{thing}，第{i}回" for thing in THINGS))
    assert life.extract().added == conversations * len(THINGS)
    return life


@pytest.mark.parametrize("conversations", [1, 30])
def test_with_nothing_new_it_is_one_get_and_one_list(conversations: int) -> None:
    """However long the life, and however many recalls came since, neither ledger nor talk is read."""
    life = _talked(conversations)
    recalls = [Event(f"r-{i}", life.now().isoformat(), "m", Recalled(("m-0",))) for i in range(20)]
    Ledger(life.store, "main").append(recalls)
    watched, kept = WatchedStore(life.store), life.kept
    report = life.extract(watched)
    assert watched.calls == [("get", keys.cursor("main", "extract")), ("list", keys.arrivals("main"))]
    asked = len(life.model.asked) + len(life.model.compared)
    assert (report.calls, report.calls_left, life.kept) == (0, 500 - asked, kept)
    life.say("c-0", "豆包今天学会了自己开门出去玩")
    life.now.forward(hours=2)
    assert life.extract().added == 1


def test_a_run_that_died_before_its_snapshot_is_ended_by_the_next() -> None:
    """All was read and noted, but the arrivals were not settled: the next run has no news and keeps the snapshot."""

    def dies(_: object) -> None:
        raise Killed

    life = Noted()
    life.say("maobao", *THINGS)
    with pytest.raises(Killed):
        life.extract(remember=dies)
    assert life.cursor()["conversations"] == {"maobao": len(THINGS)}
    assert (life.extract().calls, life.kept) == (0, 1)
    assert (life.extract().calls, life.kept) == (0, 1)


@pytest.mark.parametrize("said", [40, 400])
def test_a_talk_of_years_costs_what_is_new_in_it(said: int) -> None:
    """A message at the end of a long talk is read with a few before it, and its note is taken."""
    life = Noted()
    life.now.step = timedelta(milliseconds=1)
    life.say("years", *(f"第{i}天，阿月浇了浇阳台上的花" for i in range(said)))
    life.now.forward(hours=2)
    life.extract()
    life.say("years", "豆包今天学会了自己开门出去玩")
    life.now.forward(hours=2)
    watched = WatchedStore(life.store)
    assert life.extract(watched).added == 1
    blocks = [key for name, key in watched.calls if name == "get" and "/conversations/" in key]
    assert len(blocks) == TAIL + 1
    assert life.contents()[-1] == "豆包今天学会了自己开门出去玩"


def test_another_branch_of_a_long_talk_is_read_whole() -> None:
    """What leaves the path far back is known to have left it, and what comes onto it is noted."""
    life = Noted()
    life.now.step = timedelta(milliseconds=1)
    life.say("years", THINGS[0], *(f"第{i}天，阿月浇了浇阳台上的花" for i in range(30)))
    life.now.forward(hours=2)
    life.extract()
    noted = {memory.note.message: ident for ident, memory in life.state().memories.items()}
    assert set(noted) > {"years-30"}
    life.say("years", "换个说法：阿月想去海边看日出", parent="years-3")
    life.now.forward(hours=2)
    life.extract()
    assert life.contents()[-1] == "换个说法：阿月想去海边看日出"
    assert noted["years-30"] in life.off_path["years"]
