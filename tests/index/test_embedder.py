"""Holds what the one loader promises: the expected vectors, checked files, text of any kind, loading once."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from layers.embed_model import build, manifest
from paramecium.errors import ModelDamaged, ModelMissing
from paramecium.index import embedder as loader
from paramecium.index.embedder import Embedder, default_model_folder

EXPECTED = manifest.read(build.HERE / "manifests" / "multilingual-e5-small.json").expected


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that `make setup` made."""
    return Embedder(default_model_folder())


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of the model's folder that a test may damage."""
    return Path(shutil.copytree(default_model_folder(), tmp_path / "model"))


def _change(folder: Path, **fields: object) -> None:
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    (folder / "model.json").write_text(json.dumps({**card, **fields}), encoding="utf-8")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda each: each["text"][:12])
def test_text_gives_the_stored_tokens_and_vector(embedder: Embedder, expected: dict[str, Any]) -> None:
    """Chinese, emoji, fullwidth and mixed texts have the ids and vectors that the manifest stores."""
    text = expected["text"]
    vector = embedder.query(text) if expected["kind"] == "query" else embedder.passages([text])[0]
    assert embedder.tokens(text) == expected["ids"]
    assert vector.dtype == np.float32
    assert vector.shape == (embedder.dims,)
    assert vector[:8] == pytest.approx(expected["vector"], abs=0.02)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_a_paraphrase_is_nearer_than_another_topic(embedder: Embedder) -> None:
    """A question finds the passage that answers it in other words, in Chinese, English and across."""
    texts = ["昨晚给阿橘喂了罐头，它吃得很香。", "The mortgage rate went up again.", "下周三要交房租了。"]
    rows = embedder.passages(texts) - embedder.mean
    for question, answer in (
        ("猫吃了什么？", 0),
        ("what did the cat eat?", 0),
        ("loan interest", 1),
        ("租金什么时候付", 2),
    ):
        assert int(np.argmax(rows @ (embedder.query(question) - embedder.mean))) == answer


def test_passages_together_are_the_passages_alone(embedder: Embedder) -> None:
    """A vector never depends on what is embedded with it, however different the lengths."""
    texts = ["猫", "今天下午我们去了西湖边散步。" * 20, "", "🎂"]
    together = embedder.passages(texts)
    assert together.shape == (4, embedder.dims)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, embedder.passages([text])[0])


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    """An empty list keeps the width of a vector."""
    assert embedder.passages([]).shape == (0, embedder.dims)


def test_any_text_is_embedded(embedder: Embedder) -> None:
    """Lone surrogates and NUL are read as U+FFFD; what lies beyond 512 tokens is not read."""
    for odd in ("\ud83d猫", "猫\udfff", "\x00猫", "猫\u2028\u0085\ufeff"):
        assert np.isfinite(embedder.query(odd)).all()
    assert np.array_equal(embedder.query("\ud800猫"), embedder.query("\ufffd猫"))
    assert np.array_equal(embedder.query("\x00猫"), embedder.query("\ufffd猫"))
    assert len(embedder.tokens("今天" * 2_000)) == 512


def test_literal_special_tokens_are_characters(embedder: Embedder) -> None:
    """No text spells the start, end, padding or mask token."""
    for name in ("<s>", "</s>", "<pad>", "<mask>", "\x01</s>", "<unk>"):
        inner = embedder.tokens(f"猫{name}猫")[1:-1]
        assert not set(inner) & {0, 1, 2, 3}


def test_missing_model_says_what_to_run(tmp_path: Path) -> None:
    """Without a model the error names the folder and the command that makes one."""
    with pytest.raises(ModelMissing, match="make setup") as raised:
        Embedder(tmp_path)
    assert str(tmp_path) in str(raised.value)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_changed_byte_is_refused_by_the_file_name(own: Path, name: str) -> None:
    """One flipped bit in a model file is found before the file is loaded, and the file is named."""
    Embedder(own).warm()
    body = bytearray((own / name).read_bytes())
    body[len(body) // 2] ^= 1
    (own / name).write_bytes(body)
    with pytest.raises(ModelDamaged, match=name):
        Embedder(own).warm()


def test_missing_or_unpinned_file_is_refused(own: Path) -> None:
    """A file that is gone, or that `model.json` gives no sha256, is not loaded."""
    (own / "tokenizer.json").unlink()
    with pytest.raises(ModelDamaged, match=r"tokenizer\.json cannot be read"):
        Embedder(own).query("猫")
    _change(own, sha256={})
    with pytest.raises(ModelDamaged, match=r"model\.onnx"):
        Embedder(own).query("猫")


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"id": "x"}', "\udcff"])
def test_unreadable_card_is_refused(tmp_path: Path, text: str) -> None:
    """A `model.json` that is none, or lacks a field, is refused at once."""
    (tmp_path / "model.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelDamaged, match=r"model\.json"):
        Embedder(tmp_path)


def test_card_without_mean_has_zeros_and_keeps_floors(own: Path) -> None:
    """A model without a mean is not centred; its floors are given as they stand."""
    _change(own, mean=[], floors={"menu": 0.25})
    found = Embedder(own)
    assert found.mean.tolist() == [0.0] * found.dims
    assert found.floors == {"menu": 0.25}


@pytest.mark.parametrize(
    ("fields", "said"), [({"pooling": "max"}, "unknown pooling"), ({"dims": 512}, "no finite vector")]
)
def test_card_that_does_not_fit_the_model_is_refused(own: Path, fields: dict[str, object], said: str) -> None:
    """A pooling nobody knows or a width the model does not have gives an error, not a vector."""
    _change(own, **fields)
    with pytest.raises(ModelDamaged, match=said):
        Embedder(own).query("猫")


def test_each_pooling_makes_one_vector() -> None:
    """Of three tokens `cls` takes the first and `mean` their mean; `none` takes what the graph has pooled."""
    tokens = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    assert loader._pooled(tokens, "cls").tolist() == [0, 1, 2, 3]
    assert loader._pooled(tokens, "mean").tolist() == [4, 5, 6, 7]
    assert loader._pooled(tokens[:, 2], "none").tolist() == [8, 9, 10, 11]


def test_vector_that_is_not_finite_is_refused(own: Path) -> None:
    """A model that answers with no numbers is damaged, even when its hash is the pinned one."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(own / "model.onnx")
    tiny = next(each for each in model.graph.initializer if each.name == "tiny")
    tiny.CopyFrom(numpy_helper.from_array(np.array(np.nan, np.float32), "tiny"))
    onnx.save(model, own / "model.onnx")
    pins = {name: hashlib.sha256((own / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")}
    _change(own, sha256=pins)
    with pytest.raises(ModelDamaged, match="no finite vector"):
        Embedder(own).query("猫")


def test_model_is_loaded_once_on_first_use_by_whoever_comes_first(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight threads that ask at once get equal vectors from one loading."""
    loads: list[Path] = []
    real = loader._load

    def counted(folder: Path, card: dict[str, Any], threads: int) -> loader._Engine:
        loads.append(folder)
        return real(folder, card, threads)

    monkeypatch.setattr(loader, "_load", counted)
    fresh = Embedder(default_model_folder())
    assert loads == []
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(fresh.query, ["猫"] * 8))
    assert len(loads) == 1
    assert all(np.array_equal(vector, embedder.query("猫")) for vector in vectors)


def test_making_an_embedder_loads_no_heavy_library() -> None:
    """Import and construction touch neither numpy nor the model's libraries."""
    code = "import sys; from paramecium.index.embedder import *; Embedder(default_model_folder())\n"
    code += "print({'numpy', 'onnxruntime', 'tokenizers'} & {*sys.modules})"
    path = {**os.environ, "PYTHONPATH": str(build.HERE.parents[1] / "shared")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=path, check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "set()\n"


def test_folder_is_the_named_one_or_the_checkouts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PARAMECIUM_MODEL is believed; without it the checkout's own folder is meant where no layer stands."""
    monkeypatch.setenv("PARAMECIUM_MODEL", str(tmp_path))
    assert default_model_folder() == tmp_path
    monkeypatch.delenv("PARAMECIUM_MODEL")
    assert default_model_folder() in {Path("/opt/model"), build.HERE / "model"}
