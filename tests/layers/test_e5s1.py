"""Holds that the weights file is read to its last number and that no damaged one is."""

from __future__ import annotations

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layers.embed_model import e5s1
from layers.embed_model.e5s1 import Weights
from paramecium.errors import ModelDamaged

BLOCK = struct.pack("<e", 0.5) + bytes(range(16))


def _small(*, magic: bytes = b"E5S1", version: int = 1, kind: int = 1, cut: int = 0) -> bytes:
    """A whole file with two pieces, one replacement and one matrix of one block."""
    sizes = struct.pack("<I7ifi", version, 32, 1, 1, 32, 1, 1, 1, 1e-12, 32)
    text = "<s>猫".encode()
    words = struct.pack("<5iQ3I2f", 2, 0, 2, 1, 3, len(text), 0, 3, len(text), 0.0, -7.5) + text
    table = struct.pack("<iIIBI", 1, 9, 0xFF21, 1, 0x41)
    entry = struct.pack("<iH", 1, 8) + b"emb.word"
    head = magic + sizes + words + table + entry
    body = head + struct.pack("<BIQQ", kind, 32, len(head) + 21, len(BLOCK)) + BLOCK
    return body[: len(body) - cut]


def test_small_file_is_read_whole() -> None:
    """Pieces, scores, replacements and the halves of a block's bytes come out in their order."""
    found = e5s1.read(_small())
    values, scales = found.nibbles("emb.word", 1, 32)
    assert found.pieces == ("<s>", "猫")
    assert found.scores.tolist() == [0, -7.5]
    assert found.replacements == {0xFF21: (0x41,)}
    assert values.tolist() == [[*range(16), *([0] * 16)]]
    assert scales.tolist() == [[0.5]]


def test_pinned_file_is_read_whole(weights: Weights) -> None:
    """The pinned file holds 250,002 pieces, 4,837 replacements and the tensors of twelve layers."""
    assert (weights.shape.hidden, weights.shape.layers, weights.shape.ffn) == (384, 12, 1536)
    assert len(weights.pieces) == 250_002
    assert len(weights.replacements) == 4_837
    assert weights.pieces[:5] == ("<s>", "<pad>", "</s>", "<unk>", ",")
    assert np.isfinite(weights.floats("l11.fo.b", 384)).all()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (_small(magic=b"GGUF"), "begins with b'GGUF'"),
        (_small(version=2), "version 2"),
        (_small(cut=1), "emb.word needs byte"),
        (b"E5S1", "ends at byte 4"),
        (b"", "begins with b''"),
    ],
)
def test_wrong_file_is_refused_by_its_fault(data: bytes, said: str) -> None:
    """A wrong magic, another version, a file cut short: each is refused in words that name it."""
    with pytest.raises(ModelDamaged, match=said):
        e5s1.read(data)


def test_pinned_file_cut_short_is_refused(e5_files: tuple[bytes, bytes]) -> None:
    """A download that broke off is refused wherever it broke off."""
    for length in (1_000, 3_000_000, len(e5_files[0]) - 1):
        with pytest.raises(ModelDamaged, match=f"ends at byte {length}"):
            e5s1.read(e5_files[0][:length])


@given(st.integers(4, 150), st.integers(0, 255))
def test_changed_byte_is_read_or_refused(at: int, byte: int) -> None:
    """Whatever a byte is changed to, the reader gives weights or the one refusal, nothing else."""
    data = bytearray(_small())
    data[at % len(data)] = byte
    with contextlib.suppress(ModelDamaged):
        assert e5s1.read(bytes(data)).pieces


def test_tensor_of_another_kind_or_name_is_refused() -> None:
    """A tensor is given only as what it is."""
    with pytest.raises(ModelDamaged, match=r"no tensor emb\.pos"):
        e5s1.read(_small()).floats("emb.pos", 32)
    with pytest.raises(ModelDamaged, match="another size or kind"):
        e5s1.read(_small(kind=0)).nibbles("emb.word", 1, 32)
    with pytest.raises(ModelDamaged, match="another size or kind"):
        e5s1.read(_small()).nibbles("emb.word", 2, 32)
