"""One of several writers of a ledger, in a thread or a process of its own: appends its events one by one."""

import multiprocessing
import os
import threading

from paramecium import clock
from paramecium.memories.events import Added, Event, Recalled, Retired, Superseded, What
from paramecium.memories.ledger import Ledger
from paramecium.store.base import AppendOnly
from tests.memories.event_lists import note
from tests.store.racer import open_store

WRITERS = 5
EVENTS = 2000
WAIT_S = 60


def whats_of(writer: int, count: int) -> list[What]:
    """Returns what happens by one writer: memories of its own, some retired, some superseding those of another."""
    kinds: list[What] = []
    for i in range(count):
        own = f"m-{writer}-{i - i % 4}"
        other = f"m-{(writer + 1) % WRITERS}-{i - i % 4}"
        kinds.append(
            (Added(note(own)), Superseded(other, own), Recalled((own, other), conversation="a"), Retired(own))[i % 4]
        )
    return kinds


def write(store: AppendOnly, writer: int, count: int) -> None:
    """Appends the writer's events."""
    ledger = Ledger(store, "main")
    for i, what in enumerate(whats_of(writer, count)):
        ledger.append([Event(f"e-{writer}-{i:04d}", clock.now().isoformat(), f"writer-{writer}", what)])


def in_threads(store: AppendOnly, events: int = EVENTS) -> None:
    """Lets five threads write at once, all of them to the end."""
    threads = [threading.Thread(target=write, args=(store, w, events // WRITERS)) for w in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


def in_processes(where: str, events: int = EVENTS) -> None:
    """Lets five processes write at once into a folder or s3://bucket, all of them to the end."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.memories.writer"])
    work = [
        context.Process(target=_write_in, args=(where, w, events // WRITERS, dict(os.environ))) for w in range(WRITERS)
    ]
    for process in work:
        process.start()
    for process in work:
        process.join(WAIT_S)
    assert [process.exitcode for process in work] == [0] * WRITERS


def _write_in(where: str, writer: int, count: int, environment: dict[str, str]) -> None:
    os.environ.update(environment)  # the server of forks may be older than what a test has set
    write(open_store(where), writer, count)
