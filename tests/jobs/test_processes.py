"""The jobs as processes of their own on one folder: killed at any moment, and two of them at once."""

import random
from pathlib import Path

import pytest

from paramecium.jobs import fts_build, ingest
from paramecium.jobs.verify import VerifyReport, verify
from tests.jobs.import_files import bring, said, talk, write
from tests.jobs.lives import WORDS
from tests.jobs.worker import OVERTAKEN, indexer_of, start

CONVERSATIONS, MESSAGES = 12, 25
WAIT_S = 60
PAUSE_S = 0.01
KILLS, FIRST_KILL_S = 12, 0.2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder with a file of 300 messages to import."""
    lines = [
        talk(
            f"谈{c}", *[said(f"{WORDS[i % 8]}（{c}谈{i}）", "assistant" if i % 2 else "user") for i in range(MESSAGES)]
        )
        for c in range(CONVERSATIONS)
    ]
    write(tmp_path / "file", *lines)
    return tmp_path


def _archive(folder: Path) -> dict[str, bytes]:
    store = indexer_of(folder).store
    return {key: store.get(key).body for key in store.list("main/archive/conversations/")}


def _finished(folder: Path) -> VerifyReport:
    """Runs everything once more, here, and returns what verify says."""
    indexer = indexer_of(folder)
    bring(indexer.store, folder / "file")
    ingest.ingest(indexer)
    fts_build.build(indexer)
    return verify(indexer_of(folder))


def _whole(report: VerifyReport) -> bool:
    return (report.entries, report.waiting, report.problems) == (CONVERSATIONS * MESSAGES, 0, ())


def _covered(folder: Path) -> int:
    return sum(indexer_of(folder).standing().manifest.coverage.conversations.values())


def _killed(folder: Path, after_s: float) -> bool:
    """Starts the work, kills it after so long, and tells whether it was still at work."""
    process, started = start(folder, PAUSE_S)
    assert started.wait(WAIT_S)
    process.join(after_s)
    process.kill()
    process.join(WAIT_S)
    return process.exitcode == -9


def test_killed_at_any_moment_nothing_is_lost(folder: Path) -> None:
    """Processes in a row are killed at a random moment; what stands is sound each time, and whole at the end.

    Each killed one goes on where the one before it ended. One that came to its end before it was to be killed shows
    that the next must be killed sooner, one killed before it did anything that the next may go on for longer: so the
    kills fall on all of import, ingest and full text, however fast the machine.
    """
    chance = random.Random(12)
    covered = [0]
    after_s = FIRST_KILL_S
    for _ in range(KILLS):
        before = len(_archive(folder))
        killed = _killed(folder, after_s * chance.uniform(0.1, 1))
        assert verify(indexer_of(folder)).problems == ()
        covered.append(_covered(folder))
        moved = covered[-1] > covered[-2] or len(_archive(folder)) > before
        after_s = after_s / 2 if not killed else after_s if moved else after_s * 1.5
    assert covered == sorted(covered)
    archive = _archive(folder)
    assert _whole(_finished(folder))
    assert archive.items() <= _archive(folder).items()


def test_two_processes_on_one_folder_harm_nothing(folder: Path) -> None:
    """Both import, ingest and build at once; each ends well or says that it was overtaken, and all is there once."""
    running = [start(folder, pause_s=0.001) for _ in range(2)]
    for process, started in running:
        assert started.wait(WAIT_S)
        process.join(WAIT_S)
    assert {process.exitcode for process, _ in running} <= {0, OVERTAKEN}
    assert verify(indexer_of(folder)).problems == ()
    assert _whole(_finished(folder))
