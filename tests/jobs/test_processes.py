"""The jobs as processes of their own on one folder: killed at any moment, and two of them at once."""

import random
from pathlib import Path

import pytest

from paramecium import clock
from paramecium.jobs import fts_build, ingest
from paramecium.jobs.verify import VerifyReport, verify
from tests.jobs.import_files import bring, said, talk, write
from tests.jobs.lives import WORDS
from tests.jobs.worker import OVERTAKEN, indexer_of, start

CONVERSATIONS, MESSAGES = 12, 25
WAIT_S = 60
PAUSE_S = 0.01


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


def _finished(folder: Path) -> VerifyReport:
    """Runs everything once more, here, and returns what verify says."""
    indexer = indexer_of(folder)
    bring(indexer.store, folder / "file")
    ingest.ingest(indexer)
    fts_build.build(indexer)
    return verify(indexer_of(folder))


def _whole(report: VerifyReport) -> bool:
    return (report.entries, report.waiting, report.problems) == (CONVERSATIONS * MESSAGES, 0, ())


def _duration_s(folder: Path) -> float:
    """Returns how long a whole run takes here, in a folder of its own."""
    other = folder / "other"
    other.mkdir()
    (other / "file").write_bytes((folder / "file").read_bytes())
    process, started = start(other, PAUSE_S)
    assert started.wait(WAIT_S)
    began_s = clock.monotonic_s()
    process.join(WAIT_S)
    assert process.exitcode == 0
    return clock.monotonic_s() - began_s


def test_killed_at_any_moment_nothing_is_lost(folder: Path) -> None:
    """Twelve processes in a row are killed at a random moment; what stands is sound each time, and whole at the end.

    Each killed one goes on where the one before it ended, so that the kills fall on all of import, ingest, full text.
    """
    chance = random.Random(12)
    whole_s = _duration_s(folder)
    covered: list[int] = []
    killed = 0
    for _ in range(12):
        process, started = start(folder, PAUSE_S)
        assert started.wait(WAIT_S)
        process.join(whole_s * chance.uniform(0.02, 0.45))
        process.kill()
        process.join(WAIT_S)
        killed += process.exitcode == -9
        indexer = indexer_of(folder)
        assert verify(indexer).problems == ()
        covered.append(sum(indexer.standing().manifest.coverage.conversations.values()))
    assert killed >= 6
    assert covered == sorted(covered)
    assert len(set(covered)) >= 3
    archive = {key: indexer.store.get(key).body for key in indexer.store.list("main/archive/conversations/")}
    assert _whole(_finished(folder))
    later = {key: indexer.store.get(key).body for key in indexer.store.list("main/archive/conversations/")}
    assert archive.items() <= later.items()


def test_two_processes_on_one_folder_harm_nothing(folder: Path) -> None:
    """Both import, ingest and build at once; each ends well or says that it was overtaken, and all is there once."""
    running = [start(folder, pause_s=0.001) for _ in range(2)]
    for process, started in running:
        assert started.wait(WAIT_S)
        process.join(WAIT_S)
    assert {process.exitcode for process, _ in running} <= {0, OVERTAKEN}
    assert verify(indexer_of(folder)).problems == ()
    assert _whole(_finished(folder))
