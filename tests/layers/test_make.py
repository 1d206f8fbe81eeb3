"""Holds that the pinned weights always become the same files, and that the files are the pinned ones."""

from __future__ import annotations

import hashlib

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from layers.embed_model import build, e5s1, make, manifest, pieces
from layers.embed_model.e5s1 import BLOCK, Weights


@pytest.fixture(scope="module")
def made(e5_files: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """The model and the tokenizer, converted once."""
    return make.converted(*e5_files)


def test_conversion_gives_the_pinned_bytes_twice(e5_files: tuple[bytes, bytes], made: tuple[bytes, bytes]) -> None:
    """Two conversions are byte for byte equal and have the sha256 of the manifest."""
    pins = manifest.read(build.HERE / "manifests" / "multilingual-e5-small.json").card["sha256"]
    assert make.converted(*e5_files) == made
    assert [hashlib.sha256(body).hexdigest() for body in made] == [pins["model.onnx"], pins["tokenizer.json"]]


def test_weights_are_those_of_the_file(
    weights: Weights, e5_files: tuple[bytes, bytes], made: tuple[bytes, bytes]
) -> None:
    """A matrix and the embedding rows of the graph, made into numbers, are the file's to the last bit."""
    held = {each.name: each for each in onnx.load_model_from_string(made[0]).graph.initializer}
    packed = numpy_helper.to_array(held["l3.fi.values"]).reshape(1536, 192)
    values, scales = weights.nibbles("l3.fi.w", 1536, 384)
    assert np.array_equal(np.stack([packed & 15, packed >> 4], -1).reshape(1536, 384), values)
    assert np.array_equal(numpy_helper.to_array(held["l3.fi.scales"]), scales.reshape(1536, 384 // BLOCK))
    kept = pieces.chosen(weights.pieces, frozenset(e5s1.read(e5_files[1]).pieces))
    rows, _ = weights.nibbles("emb.word", weights.shape.rows, 384)
    assert np.array_equal(numpy_helper.to_array(held["word"]).astype(np.int8), rows[kept].astype(np.int8) - 8)
