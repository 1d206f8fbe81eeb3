"""Commands killed at any moment: after one more run everything is there, once."""

import json
import random
from pathlib import Path

from paramecium import clock
from tests.cli.conftest import SAMPLE
from tests.cli.process import paramecium, started

# About how long each command runs here when nobody kills it.
COMMANDS: dict[tuple[str, ...], float] = {
    ("import", "f.jsonl"): 0.3,
    ("ingest",): 1.2,
    ("fts",): 0.5,
    ("chat", "还记得砚台吗"): 0.7,
}
KILLS = 2
LINES = 4


def kill_somewhere(folder: Path, whole_s: float, command: tuple[str, ...]) -> None:
    """Starts a command and kills it at a moment of chance."""
    with started(*command, cwd=folder):
        clock.wait(whole_s * random.uniform(0.3, 1.1))


def test_killed_commands_are_finished_by_their_next_run(tmp_path: Path) -> None:
    """Each killed a few times, then run once more: verify is clean, and no message is lost or stands twice."""
    (tmp_path / "f.jsonl").write_bytes(b"\n".join(SAMPLE.read_bytes().split(b"\n")[:LINES]))
    for command, whole_s in COMMANDS.items():
        for _ in range(KILLS):
            kill_somewhere(tmp_path, whole_s, command)
        assert paramecium(*command, cwd=tmp_path).code == 0
    assert paramecium("fts", cwd=tmp_path).code == 0
    report = paramecium("verify", "--json", cwd=tmp_path)
    assert (report.code, report.json["problems"], report.json["waiting"]) == (0, [], 0)
    again = paramecium("import", "f.jsonl", "--json", cwd=tmp_path).json
    assert (again["added"], again["already"]) == (0, again["messages"])
    talked = (tmp_path / "data").glob("main/archive/conversations/[!x]*/*.json")
    # The parrot's answers are echoes, which no index holds.
    said = [entry for block in talked for entry in json.loads(block.read_bytes()) if "echo" not in entry["source"]]
    assert said
    assert report.json["entries"] == again["messages"] + len(said)
