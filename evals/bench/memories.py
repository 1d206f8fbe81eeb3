"""The memories of a long life: how fast they are there in a fresh process, after one event, and kept anew."""

import base64
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from evals.bench import synthetic
from evals.bench.measure import ROOT, Bench, seconds
from evals.bench.rows import Row, taken_ms
from paramecium.errors import Damaged
from paramecium.index.vectors import quantise
from paramecium.memories.events import Added, Event, Note, Recalled, event_to
from paramecium.memories.keeping import keep_snapshot
from paramecium.memories.keeping_plan import Keeper
from paramecium.memories.ledger import Ledger
from paramecium.memories.views import MemoryViews
from paramecium.messages import dump_json, load_json
from paramecium.store import keys
from paramecium.store.local import LocalStore

LIFE: Final = "main"
LOADED_MS_MAX: Final = 150.0
AFTER_EVENT_MS_MAX: Final = 40.0
_CONTENT_CHARS, _QUOTE_CHARS, _OPENED = 30, 25, 3
_AT: Final = "2026-06-12T12:00:00.000+08:00"
_COLD: Final = "import sys; from evals.bench import memories; memories.print_cold(sys.argv[1])"


def rows(bench: Bench) -> Iterator[Row]:
    """Yields the loading in a fresh process, the view after one new event, and the keeping of one memory."""
    sizes = bench.sizes
    with tempfile.TemporaryDirectory(prefix="memories-", dir=_made(bench.folder)) as name:
        folder = Path(name)
        write_ledger(folder, sizes.memories, sizes.moments)
        keeper = keeper_of(folder)
        note = f"{sizes.memories:,} memories, {sizes.moments:,} moments"
        took = seconds(lambda _: keep_snapshot(keeper), 1, bench.bar("keeping"))
        yield taken_ms("memories: snapshot made", took, note=f"{note}; once, vectors of chance")
        cold = [_cold(folder) for _ in range(sizes.starts)]
        yield taken_ms("memories: first view of a fresh process", cold, LOADED_MS_MAX, note)
        views = views_of(folder)
        views.view()
        yield taken_ms("memories: view, nothing new", seconds(lambda _: views.view(), sizes.calls, bench.bar("views")))
        took = _after_events(keeper, views, sizes.memories, sizes.starts)
        yield taken_ms("memories: view after one new event", took, AFTER_EVENT_MS_MAX, note)
        took = seconds(lambda i: _keep_one(keeper, sizes.memories * 2 + i), sizes.starts, bench.bar("keeping one"))
        yield taken_ms("memories: one new memory kept, without the model", took, note=note)


def print_cold(folder: str) -> None:
    """Prints how long the first view takes in this process, in seconds."""
    import numpy as np

    views = views_of(Path(folder))
    began = time.perf_counter()
    view = views.view()
    took = time.perf_counter() - began
    if view.damaged or not len(view.rows) or not np.count_nonzero(view.live):
        raise Damaged("the snapshot was not what was loaded")
    print(took)


def keeper_of(folder: Path) -> Keeper:
    """Returns what keeps the snapshot of the life in `folder`."""
    store = LocalStore(folder / "data")
    return Keeper(store, LIFE, Ledger(store, LIFE), synthetic.embedder(), folder / "cache", marks=marks)


def views_of(folder: Path) -> MemoryViews:
    """Returns a reader as a fresh process has it."""
    store = LocalStore(folder / "data")
    return MemoryViews(store, LIFE, Ledger(store, LIFE), folder / "cache", marks=marks)


def marks(_content: str, date: str) -> tuple[str, ...]:
    """Returns the solar day alone: the calendar's time is not measured here."""
    return (date[5:],) if date else ()


def write_ledger(folder: Path, memories: int, moments: int) -> None:
    """Writes the events as files, past the store, which would wait for the disk after each."""
    import numpy as np

    random = np.random.default_rng(synthetic.SEED)
    texts = "".join(synthetic.Vocabulary().texts(memories * 2))
    model = synthetic.embedder().id
    vectors = quantise(random.standard_normal((moments, 384)).astype(np.float32))
    opened = random.integers(0, memories, (moments, _OPENED)).tolist()
    events = [_added(i, memories, texts) for i in range(memories)]
    for i in range(moments):
        vector = base64.b64encode(vectors[i].tobytes()).decode()
        events.append(_recalled(i, opened[i], {"model": model, "vector": vector}))
    path = folder / "data" / keys.events(LIFE)
    path.mkdir(parents=True)
    for n, event in enumerate(events):
        (path / Path(keys.event(LIFE, n)).name).write_bytes(dump_json(event_to(event)))


def _added(i: int, of: int, texts: str) -> Event:
    day = synthetic.FIRST_DAY + timedelta(days=synthetic.DAYS * i // max(of, 1))
    at = i * _CONTENT_CHARS % (len(texts) - _CONTENT_CHARS - _QUOTE_CHARS)
    content, quote = texts[at : at + _CONTENT_CHARS], texts[at + _QUOTE_CHARS : at + 2 * _QUOTE_CHARS]
    talk, n = f"talk-{i // 20:05d}", i % 100
    note = Note(f"m-{i:08d}-abcdef", content, quote, talk, f"msg-{i:08d}", n, 3, 28, f"{day}", _AT, "林夏", "user")
    return Event(f"{i:026d}", _AT, "extract", Added(note))


def _recalled(i: int, opened: list[int], context: dict[str, str]) -> Event:
    ids = tuple(f"m-{m:08d}-abcdef" for m in opened)
    what = Recalled(ids, (), "茶", f"talk-{i // 4:05d}", f"t-{i}", f"msg-r{i}", context)
    return Event(f"r{i:025d}", _AT, "model", what)


def _cold(folder: Path) -> float:
    command = [sys.executable, "-c", _COLD, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT, timeout=120)
    return float(load_json(done.stdout))


def _after_events(keeper: Keeper, views: MemoryViews, count: int, times: int) -> list[float]:
    took: list[float] = []
    for i in range(times):
        event = _added(count + i, count, "茶" * 90) if i % 2 else _recalled(10**6 + i, [i, i + 1, i + 2], {})
        keeper.ledger.append([event])
        took += seconds(lambda _: views.view(), 1, lambda _done, _of: None)
    return took


def _keep_one(keeper: Keeper, i: int) -> None:
    keeper.ledger.append([_added(i, i, "花" * 90)])
    if not keep_snapshot(keeper).written:
        raise Damaged("a new memory was not kept")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
