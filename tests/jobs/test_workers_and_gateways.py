"""Two workers that take notes and three gateways that recall, on one folder at once: one ledger that holds it all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from paramecium.memories.events import Added, Recalled
from paramecium.memories.ledger import Ledger
from paramecium.memories.state import State, fold
from paramecium.recall.remembering import Remembering
from paramecium.store import keys
from paramecium.store.local import LocalStore
from tests.jobs.extracting import Model, Noted

TALKS = 50
SAID = 5
RECALLS = 600
EVENTS = 2000
GATEWAYS = 3


def test_two_workers_and_three_gateways_lose_nothing_and_tell_nothing_twice(tmp_path: Path) -> None:
    """2,000 events and more: numbers without a gap, each recall once, each note once, the same fold from any start."""
    life = Noted(LocalStore(tmp_path), model=Model(compare=lambda _: "[]"))
    for talk in range(TALKS):
        life.say(f"c-{talk}", *(f"第{talk}次谈话的第{n}句：豆包又把花盆推下去了" for n in range(SAID)))
    life.now.forward(hours=2)

    def recalls(gateway: int) -> None:
        remember = Remembering(Ledger(LocalStore(tmp_path), "main"), "Asia/Shanghai")
        for n in range(RECALLS):
            remember(Recalled(query=f"{gateway}-{n}", conversation=f"g-{gateway}"), "claude")

    with ThreadPoolExecutor(GATEWAYS + 2) as pool:
        gateways = [pool.submit(recalls, gateway) for gateway in range(GATEWAYS)]
        workers = [pool.submit(life.extract, LocalStore(tmp_path)) for _ in range(2)]
        for gateway in gateways:
            gateway.result()
        for worker in workers:
            worker.result()
    life.extract()  # what one worker met in the hands of the other waits for the next run
    events = Ledger(LocalStore(tmp_path), "main").read()
    assert len(events) >= EVENTS
    numbers = [keys.event_number(key) for key in life.store.list(keys.events("main"))]
    assert numbers == list(range(len(events)))
    queries = [e.what.query for e in events if isinstance(e.what, Recalled)]
    assert sorted(queries) == sorted(f"{g}-{n}" for g in range(GATEWAYS) for n in range(RECALLS))
    state = fold(State(), events)
    assert len(state.memories) == len({e.what.note.id for e in events if isinstance(e.what, Added)}) == TALKS * SAID
    for cut in (1, len(events) // 3, len(events) - 1):
        assert fold(fold(State(), events[:cut]), events[cut:]) == state
