"""Holds how a model of a hub is pinned, fetched and refused: no pin is invented, only pinned bytes stand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from layers.embed_model import build, fetch
from paramecium.index.embedder import Embedder, default_model_folder

Hub = tuple[str, Path]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the committed manifest of bge-small-zh-v1.5, to be pinned by a test."""
    return Path(shutil.copy(build.HERE / "manifests" / "bge-small-zh-v1.5.json", tmp_path / "own.json"))


def _run(own: Path, out: Path, *words: str) -> int:
    return build.main(["--model", "bge-small-zh-v1.5", "--manifest", str(own), "--out", str(out), *words])


def _pinned(own: Path, out: Path, hub: Hub) -> None:
    assert _run(own, out, "--pin", "--revision", "r1", "--base-url", hub[0]) == 0


def test_committed_manifest_without_pins_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asking for a model that nobody pinned ends with 1, says how to pin, and fetches nothing else in its place."""
    assert build.main(["--model", "bge-small-zh-v1.5", "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert "--pin --revision" in said.err
    assert "no model stands" in said.out
    assert not (tmp_path / "out").exists()


def test_pinning_without_a_revision_is_refused(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A revision is chosen by a person, never taken from what the hub serves today."""
    assert _run(own, tmp_path / "out", "--pin", "--base-url", "http://127.0.0.1:9/") == 1
    assert "needs --revision" in capsys.readouterr().err


def test_pinned_model_stands_and_answers(own: Path, tmp_path: Path, hub: Hub) -> None:
    """After pinning, the build makes a folder that the one loader reads: first token, length 1, the query prefix."""
    out = tmp_path / "out"
    _pinned(own, out, hub)
    assert not out.exists()
    assert _run(own, out, "--base-url", hub[0]) == 0
    card = json.loads((out / "model.json").read_text(encoding="utf-8"))
    embedder = Embedder(out)
    vector = embedder.query("今天的月亮")
    assert card["pooling"] == "cls"
    assert embedder.id.startswith("bge-small-zh-v1.5@")
    assert vector.shape == (512,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)
    assert np.allclose(vector, embedder.passages(["为这个句子生成表示以用于检索相关文章：今天的月亮"])[0])
    assert not np.allclose(vector, embedder.passages(["今天的月亮"])[0], atol=1e-3)
    assert embedder.mean.any()


def test_literal_special_token_stays_text(own: Path, tmp_path: Path, hub: Hub) -> None:
    """A person who writes [SEP] gets the ids of those characters, and the shipped padding is not kept."""
    _pinned(own, tmp_path / "out", hub)
    assert _run(own, tmp_path / "out", "--base-url", hub[0]) == 0
    ids = Embedder(tmp_path / "out").tokens("月[SEP]亮[PAD]")
    assert ids[0] == 2
    assert ids[-1] == 3
    assert not set(ids[1:-1]) & {0, 1, 2, 3, 4}


def test_another_standing_model_is_named_and_replaced(
    own: Path, tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where another model stands, the build says which, and the asked one stands afterwards."""
    out = tmp_path / "out"
    _pinned(own, out, hub)
    shutil.copytree(default_model_folder(), out)
    assert _run(own, out, "--base-url", hub[0]) == 0
    said = capsys.readouterr().out
    assert "holds multilingual-e5-small/" in said
    assert said.splitlines()[-1].startswith("bge-small-zh-v1.5@")
    assert Embedder(out).dims == 512


def test_other_bytes_than_the_pinned_are_refused(
    own: Path, tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hub that serves one changed byte makes no model stand."""
    _pinned(own, tmp_path / "out", hub)
    file = hub[1] / "onnx" / "model_quantized.onnx"
    body = bytearray(file.read_bytes())
    body[-1] ^= 1
    file.write_bytes(body)
    assert _run(own, tmp_path / "out", "--base-url", hub[0]) == 1
    assert "model.onnx has the sha256" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_missing_file_is_refused(own: Path, tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    """A file the hub does not have is named with its address."""
    _pinned(own, tmp_path / "out", hub)
    (hub[1] / "tokenizer.json").unlink()
    assert _run(own, tmp_path / "out", "--base-url", hub[0]) == 1
    assert "/r1/tokenizer.json cannot be had" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_truncated_download_is_refused(own: Path, tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    """A download that breaks off is refused, in building as in pinning, and leaves the manifest as it was."""
    (hub[1] / "onnx" / "model_quantized.onnx.cut").touch()
    before = own.read_bytes()
    assert _run(own, tmp_path / "out", "--pin", "--revision", "r1", "--base-url", hub[0]) == 1
    assert "broke off" in capsys.readouterr().err
    assert own.read_bytes() == before


def test_endless_download_is_refused(
    own: Path, tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is longer than any model is not read to its end."""
    _pinned(own, tmp_path / "out", hub)
    monkeypatch.setattr(fetch, "_BYTES_MAX", 1_000)
    assert _run(own, tmp_path / "out", "--base-url", hub[0]) == 1
    assert "more than 1000 bytes" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_unreachable_hub_is_refused(own: Path, tmp_path: Path, hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused asked model leaves the one that stood, and says which it is."""
    _pinned(own, tmp_path / "out", hub)
    assert _run(own, tmp_path / "out", "--base-url", hub[0]) == 0
    (tmp_path / "out" / "tokenizer.json").unlink()
    assert _run(own, tmp_path / "out", "--base-url", "http://127.0.0.1:9/{revision}") == 1
    said = capsys.readouterr()
    assert "is the hub reachable" in said.err
    assert said.out.splitlines()[-1].startswith("bge-small-zh-v1.5@")
