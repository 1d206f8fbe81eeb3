"""What a turn waits for before the model is asked: what does not need one another is read at once."""

import threading
from pathlib import Path

from paramecium.chat.beside import Beside
from paramecium.memories.document_reader import DocumentReader
from paramecium.memories.ledger import Ledger
from paramecium.memories.views import MemoryViews
from paramecium.recall.offer import Menus
from paramecium.store import keys
from paramecium.store.base import ObjectStore
from paramecium.store.ram import RamStore
from tests.chat.fakes_chat import LIFE, House, says
from tests.fakes import HashEmbedder, WatchedStore

TOGETHER_S = 5.0
FIRST = {
    keys.conversations(LIFE),
    keys.memory_snapshot(LIFE),
    *(keys.documents(LIFE, kind) for kind in keys.DOCUMENT_KINDS),
    f"{LIFE}/facts/茶.md",
}


class Gathering(WatchedStore):
    """Lets the first call of each kind go on only when all of them have begun."""

    def __init__(self, inner: ObjectStore) -> None:
        super().__init__(inner)
        self.barrier: threading.Barrier | None = None
        self._met: set[str] = set()

    def gather(self) -> None:
        """Begins anew."""
        self.calls.clear()
        self._met.clear()
        self.barrier = threading.Barrier(len(FIRST), timeout=TOGETHER_S)

    def _enter(self, name: str, key: str) -> None:
        super()._enter(name, key)
        place = keys.conversations(LIFE) if key.startswith(keys.conversations(LIFE)) else key
        if self.barrier and place in FIRST - self._met:
            self._met.add(place)
            self.barrier.wait()


def test_transcript_documents_and_memories_are_read_at_once(tmp_path: Path) -> None:
    """Each waits until all have begun, which they could not if one waited for another; each is asked for once."""
    ram = RamStore()
    for path, text in {"facts/茶.md": "喝白茶"}.items():
        ram.create(f"{LIFE}/{path}", text.encode())
    ram.create(keys.memory_snapshot(LIFE), b"{}")
    store = Gathering(ram)
    house = House(store)
    views = MemoryViews(store, LIFE, Ledger(store, LIFE), tmp_path)
    house.beside = Beside(DocumentReader(store, LIFE), Menus(views, HashEmbedder, house.settings, timeout_s=60))
    house.chat = house.fresh()
    house.says(says("好"), says("好"))
    conversation = house.talk("t1", "第一句").conversation
    store.gather()
    house.talk("t2", "第二句", conversation)
    assert store.barrier is not None
    assert not store.barrier.broken
    reads = [key for name, key in store.calls if name in ("list", "get", "get_if_changed") and "/stops/" not in key]
    assert sorted(reads) == sorted(
        {*FIRST - {keys.conversations(LIFE)}, keys.conversation(LIFE, conversation)} | {keys.event(LIFE, 0)}
    )
