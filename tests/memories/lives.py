"""Small lives of memories for tests: events drawn by chance, marks without a calendar, and views as plain values."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from paramecium.index.vectors import quantise
from paramecium.memories.events import (
    Added,
    Corrected,
    Event,
    Forgotten,
    Note,
    Pinned,
    Recalled,
    Retired,
    Revived,
    Superseded,
    Unretired,
    ValidityChanged,
    What,
)
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.view import MemoryView
from paramecium.memories.views import MemoryViews
from paramecium.store.base import ObjectStore
from tests.fakes import FixedClock, HashEmbedder

AT = "2026-06-12T15:47:00.000+08:00"
TEXTS = (
    "豆包怕打雷，夜里要开着灯",
    "老家的桂花开了\r\n满院子都是香的",
    "面试在周四，想喝龍井茶",
    "🐱\u2028猫\ud83d也闻到了\0",
    "She moved to Kyoto in 2019",
    "妈妈的生日是八月初三",
)


def marks(content: str, date: str) -> tuple[str, ...]:
    """Returns the day of the year, and a lunar day where a note says one."""
    return (*((date[5:],) if date else ()), *(("L08-03",) if "八月初三" in content else ()))


def note(i: int, **changes: Any) -> Note:
    """Returns the note number `i`."""
    text = TEXTS[i % len(TEXTS)]
    day = f"2026-0{i % 9 + 1}-{i % 28 + 1:02d}" if i % 4 else ""
    made = Note(f"m-{i}", f"{text}（{i}）", text[:12], f"c-{i % 3}", f"x-{i}", i, 0, 12, day, AT, "阿月", "user")
    return made._replace(**changes)


def context(i: int, model: str = "hash/1", dims: int = 64) -> dict[str, str]:
    """Returns the context number `i` as a call of the recall tool stores it."""
    vector = quantise(np.random.default_rng(i).standard_normal(dims).astype(np.float32))
    return {"model": model, "vector": base64.b64encode(vector.tobytes()).decode()}


def events(whats: Sequence[What]) -> list[Event]:
    """Returns an event of each."""
    return [Event(f"e-{i}", AT, "test", what) for i, what in enumerate(whats)]


def added(count: int, first: int = 0) -> list[Event]:
    """Returns the events of `count` notes from number `first` on."""
    return [Event(f"a-{i}", AT, "test", Added(note(i))) for i in range(first, first + count)]


def recalled(i: int, *memories: int, **changes: Any) -> Event:
    """Returns the event of a call that opened memories, by their numbers."""
    given = {"conversation": "c-9", "message": f"q-{i}", "context": context(i)} | changes
    return Event(f"r-{i}", AT, "test", Recalled(tuple(f"m-{m}" for m in memories), **given))


_NUMBER = st.integers(0, 9)
_ID = _NUMBER.map("m-{}".format)
_DAY = st.sampled_from(("", "2026-06-12", "2027-01-01"))
_CONTEXTS = st.one_of(
    st.none(),
    _NUMBER.map(context),
    _NUMBER.map(lambda i: context(i, "other/1", 48)),
    st.sampled_from(({}, {"model": "hash/1", "vector": "不是"}, {"model": "hash/1", "vector": "AAAA", "more": [1]})),
)
WHATS: st.SearchStrategy[What] = st.one_of(
    _NUMBER.map(lambda i: Added(note(i))),
    st.builds(lambda i, text: Added(note(i, content=text, quote=text[:10])), _NUMBER, st.text(max_size=12)),
    st.builds(Superseded, _ID, _ID, st.just("updates")),
    st.builds(Revived, _ID),
    st.builds(Pinned, _ID),
    st.builds(Retired, _ID),
    st.builds(Unretired, _ID),
    st.builds(Corrected, _ID, st.just("facts/茶.md")),
    st.builds(ValidityChanged, _ID, _DAY, _DAY),
    st.builds(Forgotten, _ID),
    st.builds(
        Recalled,
        st.lists(_ID, max_size=4).map(tuple),
        conversation=st.sampled_from(("", "c-1", "c-2")),
        message=st.sampled_from(("", "q-1", "q-2")),
        context=_CONTEXTS,
    ),
)
HISTORIES = st.lists(WHATS, max_size=24).map(events)


@dataclass
class Life:
    """Is a store with a ledger, and what keeps and reads the snapshot of it."""

    store: ObjectStore
    folder: Path
    now: FixedClock = field(default_factory=FixedClock)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    told: list[str] = field(default_factory=list)

    def ledger(self, store: ObjectStore | None = None) -> Ledger:
        """Returns the ledger as a fresh process has it."""
        return Ledger(store or self.store, "main")

    def keeper(self, store: ObjectStore | None = None, **options: Any) -> Keeper:
        """Returns what keeps the snapshot in a fresh process."""
        store = store or self.store
        fixed: dict[str, Any] = {"marks": marks, "now": self.now, "warn": self.told.append}
        return Keeper(store, "main", self.ledger(store), self.embedder, self.folder / "jobs", **(fixed | options))

    def views(self, store: ObjectStore | None = None) -> MemoryViews:
        """Returns the reader of a fresh process."""
        store = store or self.store
        return MemoryViews(store, "main", self.ledger(store), self.folder, self.told.append, marks)


def plain(view: MemoryView, *, vectors: bool = True) -> dict[str, Any]:
    """Returns what a view finds, as plain values that do not tell how it came about."""
    out: dict[str, Any] = {
        "state": view.state,
        "memories": view.memories,
        "live": view.live.tolist(),
        "days": (view.day.tolist(), view.valid_from.tolist(), view.valid_until.tolist()),
        "marks": {mark: tuple(places) for mark, places in view.days.items()},
        "edges": dict(view.edges),
        "position": dict(view.position),
        "words": [text for s in view.scans for text in s.scan.joined.split("\n")] if view.memories else [],
        "lengths": [length for s in view.scans for length in s.scan.lengths.tolist()],
    }
    if vectors:
        order = np.argsort(view.row_of)
        out["rows"] = (view.row_of[order].tolist(), view.rows[order].tolist())
        out["mean"] = (view.model, view.mean.tolist())
        out["moments"] = (view.moment_rows.tolist(), view.moment_memories)
    return out
