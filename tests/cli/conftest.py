"""The sample life, imported, ingested and with its full text once a session; tests that change it get a copy."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import ROOT, paramecium

SAMPLE = ROOT / "examples" / "sample_life.jsonl"


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gives the folder of the sample life; nobody may write into it."""
    folder = tmp_path_factory.mktemp("sample")
    for command in (("import", SAMPLE), ("ingest",), ("fts",)):
        done = paramecium("--data", folder / "data", *command, cwd=folder)
        assert done.code == 0, done.err
    return folder / "data"


@pytest.fixture
def copy(life: Path, tmp_path: Path) -> Path:
    """Gives a copy of the sample life in an otherwise empty folder."""
    return Path(shutil.copytree(life, tmp_path / "data"))


@pytest.fixture
def messages(life: Path) -> dict[str, str]:
    """Gives the text of every message of the archive by its id, read without any code of the house."""
    texts: dict[str, str] = {}
    for block in sorted(life.glob("main/archive/conversations/*/*.json")):
        entries: list[dict[str, Any]] = json.loads(block.read_bytes())
        texts |= {entry["id"]: entry["text"] for entry in entries if entry["kind"] == "message"}
    return texts
