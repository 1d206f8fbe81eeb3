"""Commands killed at any moment: after one more run everything is there, once."""

import json
import random
import shutil
from pathlib import Path

import pytest

from paramecium import clock
from tests.cli.conftest import SAMPLE
from tests.cli.process import paramecium, started

# Where in a command's life it is killed: shares of the time a whole run takes.
MOMENTS = (0.5, 0.85)


def whole_run_s(folder: Path, *command: str | Path) -> float:
    """Returns how long a command takes when nobody kills it, in a copy of its folder."""
    began_s = clock.monotonic_s()
    assert paramecium(*command, cwd=folder).code == 0
    return clock.monotonic_s() - began_s


def kill_at(folder: Path, share: float, whole_s: float, *command: str | Path) -> None:
    """Starts a command and kills it after a share of its time, a little earlier or later."""
    with started(*command, cwd=folder):
        clock.wait(whole_s * share * random.uniform(0.9, 1.1))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives a folder with three conversations imported and one of them ingested."""
    folder = tmp_path_factory.mktemp("begun")
    lines = SAMPLE.read_bytes().split(b"\n")
    (folder / "one.jsonl").write_bytes(lines[0])
    (folder / "f.jsonl").write_bytes(b"\n".join(lines[:3]))
    for command in (("import", "one.jsonl"), ("ingest",), ("import", "f.jsonl")):
        assert paramecium(*command, cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("command", [("import", str(SAMPLE)), ("ingest",), ("fts",), ("chat", "还记得砚台吗")])
def test_a_killed_command_is_finished_by_its_next_run(command: tuple[str, ...], begun: Path, tmp_path: Path) -> None:
    """Killed at several moments one after the other, then run once more: verify is clean and nothing stands twice."""
    whole_s = whole_run_s(Path(shutil.copytree(begun, tmp_path / "measured")), *command)
    folder = Path(shutil.copytree(begun, tmp_path / "killed"))
    for share in MOMENTS:
        kill_at(folder, share, whole_s, *command)
    assert paramecium(*command, cwd=folder).code == 0
    assert paramecium("fts", cwd=folder).code == 0
    report = paramecium("verify", "--json", cwd=folder)
    assert (report.code, report.json["problems"], report.json["waiting"]) == (0, [], 0)
    if command[0] != "chat":
        imported = json.loads(paramecium("import", SAMPLE, "--json", cwd=folder).stdout)
        assert imported["added"] + report.json["entries"] == 228
