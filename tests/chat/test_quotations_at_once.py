"""Words that were recalled from other talks are put back without one read waiting for another."""

import threading
from collections.abc import Sequence

from paramecium.archive.conversations import Archive
from paramecium.chat.quotations import Quotations
from paramecium.messages import Entry, Json
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import LIFE
from tests.fakes import WatchedStore

TALKS, MESSAGES, TOGETHER_S = 3, 4, 5.0


class Together(WatchedStore):
    """Answers the first reads only when one of each talk has begun, and the others only when all of them have."""

    def __init__(self, inner: ObjectStore) -> None:
        super().__init__(inner)
        self._barriers = [threading.Barrier(n, timeout=TOGETHER_S) for n in (TALKS, TALKS * (MESSAGES - 1))]

    def _enter(self, name: str, key: str) -> None:
        super()._enter(name, key)
        self._barriers[0 if key.endswith("/00000000.json") else 1].wait()


def _lived() -> tuple[RamStore, Sequence[Json]]:
    store, parts = RamStore(), []
    for talk in (f"c-{i}" for i in range(TALKS)):
        for n in range(MESSAGES):
            text = f"{talk}的第{n}句"
            Archive(store, LIFE).append(talk, [Entry(f"{talk}-{n}", n, role="user", text=text)], n)
            parts.append({"conversation": talk, "n": n, "message": f"{talk}-{n}", "start": 0, "end": len(text)})
    return store, parts


def test_the_blocks_of_all_references_are_read_at_once() -> None:
    """Two waits, however many words were quoted; each block is read once, and each word is found."""
    store, parts = _lived()
    watched = Together(store)
    words = Quotations(Archive(watched, LIFE), LIFE).of("here", (), parts)
    found = [words(p["conversation"], p["n"], p["message"], p["start"], p["end"]) for p in parts]
    assert found == [f"{p['conversation']}的第{p['n']}句" for p in parts]
    assert len(watched.calls) == len(set(watched.calls)) == TALKS * MESSAGES
