"""A process of its own that imports a file, ingests and builds the full text; another process may kill it any time."""

import multiprocessing
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from threading import Event as Thread_Event

import numpy as np
from numpy.typing import NDArray

from paramecium import clock
from paramecium.archive.conversations import Archive
from paramecium.errors import VersionMismatch
from paramecium.index.segment_cache import SegmentCache
from paramecium.jobs import fts_build, ingest
from paramecium.jobs.indexer import Indexer
from paramecium.store.local import LocalStore
from tests.fakes import HashEmbedder
from tests.jobs.import_files import bring

OVERTAKEN = 3


class SlowEmbedder(HashEmbedder):
    """Takes a while for each call, as a model does."""

    def __init__(self, pause_s: float) -> None:
        super().__init__()
        self._pause_s = pause_s

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Waits and embeds."""
        Thread_Event().wait(self._pause_s)
        return super().passages(texts)


def indexer_of(folder: Path, pause_s: float = 0) -> Indexer:
    """Returns what the jobs need, over the folder's store."""
    store = LocalStore(folder / "data")
    cache = SegmentCache(store, folder / "data" / ".cache")
    return Indexer(store, "main", Archive(store, "main"), SlowEmbedder(pause_s), cache, now=clock.now)


def work(folder: Path, pause_s: float, started: Event) -> None:
    """Runs the chain once; ends with 3 when other processes were always faster."""
    ingest.BATCH_PASSAGES = 24
    indexer = indexer_of(folder, pause_s)
    started.set()
    try:
        bring(indexer.store, folder / "file")
        ingest.ingest(indexer)
        fts_build.build(indexer)
    except VersionMismatch as error:
        raise SystemExit(OVERTAKEN) from error


def start(folder: Path, pause_s: float) -> tuple[ForkServerProcess, Event]:
    """Starts the process; the event is set when it begins to work."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.jobs.worker"])
    started = context.Event()
    process = context.Process(target=work, args=(folder, pause_s, started))
    process.start()
    return process, started
