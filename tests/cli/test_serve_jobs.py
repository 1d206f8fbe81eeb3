"""The jobs beside the server: at once, not at all, and ended in the middle."""

import json
import shutil
from pathlib import Path

from tests.cli.process import paramecium, until
from tests.cli.server import END_WITHIN_S, serving


def import_messages(folder: Path, count: int) -> None:
    """Imports one conversation of short messages."""
    messages = [{"role": "user", "content": f"第{i}句，砚台"} for i in range(count)]
    (folder / "f.jsonl").write_text(json.dumps({"id": "c", "messages": messages}, ensure_ascii=False), "utf-8")
    assert paramecium("import", "f.jsonl", cwd=folder).code == 0


def waiting(folder: Path) -> int:
    """Returns how many messages wait for the index; nothing else may be wrong."""
    report = paramecium("verify", "--json", cwd=folder).json
    assert report["problems"] == []
    number: int = report["waiting"]
    return number


def _segments(manifest: Path) -> list[object]:
    segments: list[object] = json.loads(manifest.read_bytes())["segments"] if manifest.exists() else []
    return segments


def test_what_arrived_before_is_ingested_at_once(tmp_path: Path) -> None:
    """Ingest and full text run when the server starts, for every life of the configuration."""
    import_messages(tmp_path, 5)
    config = tmp_path / "paramecium.toml"
    config.write_text('token = "t"\n[[clients]]\nname = "w"\ntoken = "u"\nlife = "work"\n', "utf-8")
    config.chmod(0o600)
    assert waiting(tmp_path) == 5
    with serving(cwd=tmp_path) as server:
        for life in ("main", "work"):
            until(f"full text of {life}", (tmp_path / f"data/derived/{life}/cursors/fts_build.json").exists)
        assert waiting(tmp_path) == 0
        assert server.end() < END_WITHIN_S
    told = [line for line in server.lines if not line.startswith("note: the token of owner, w is short")][2:]
    assert [line[:15] for line in told] == ["extract is off,"]


def test_without_jobs_none_runs(tmp_path: Path) -> None:
    """--no-jobs leaves the index alone, while turns and recalls go on."""
    import_messages(tmp_path, 5)
    with serving("--no-jobs", cwd=tmp_path) as server:
        server.chat("第七句")
        assert server.recall("第3句", exact=True) != []
    assert not (tmp_path / "data/derived").exists()
    assert waiting(tmp_path) == 6


def test_the_end_comes_in_the_middle_of_an_ingest(tmp_path: Path) -> None:
    """A signal between two commits: the server is gone within 5 s, and the next run takes in the rest."""
    import_messages(tmp_path, 620)
    with serving(cwd=tmp_path) as server:
        until("the first commit", lambda: _segments(tmp_path / "data/derived/main/index/manifest.json"), 60)
        assert server.end() < END_WITHIN_S
    assert "Traceback" not in server.told
    assert paramecium("verify", "--json", cwd=tmp_path).json["passages"] == 500
    assert paramecium("fts", cwd=tmp_path).code == 0
    assert waiting(tmp_path) == 0


def test_a_job_that_fails_is_told_and_the_doors_stay_open(life: Path, tmp_path: Path) -> None:
    """Without the embedding model jobs fail in one line each, turns go on, and words are found by their characters."""
    shutil.copytree(life, tmp_path / "data")
    env = {"PARAMECIUM_MODEL": str(tmp_path / "none")}
    with serving(cwd=tmp_path, env=env) as server:
        until("told", lambda: "ingest of main failed and will be tried again: no embedding model" in server.told)
        assert "`make setup`" in server.told
        assert server.chat("早")[-1][1]["status"] == "complete"
        assert server.recall("乌龙", exact=True) != []
        assert "Traceback" not in server.told
