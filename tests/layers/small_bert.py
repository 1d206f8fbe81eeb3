"""Writes a BERT of bge-small-zh's shape (WordPiece, token types, 512 numbers a token) with chance weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HIDDEN = 512
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def write(folder: Path) -> None:
    """Writes `onnx/model_quantized.onnx` and `tokenizer.json` as a hub lays them out."""
    tokenizer = _tokenizer()
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model_quantized.onnx").write_bytes(_model(tokenizer.get_vocab_size()))
    tokenizer.save(str(folder / "tokenizer.json"))


def _tokenizer() -> Tokenizer:
    characters = [chr(code) for code in range(0x21, 0x7F)] + [chr(code) for code in range(0x4E00, 0x9FA6)]
    words = [*SPECIALS, *characters, *(f"##{c}" for c in characters[:94])]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(list(SPECIALS))
    tokenizer.enable_padding(length=64)  # as some hubs ship it; the loader must not keep it
    return tokenizer


def _model(words: int) -> bytes:
    chance = np.random.default_rng(5)
    constants: list[Any] = []
    nodes: list[Any] = []

    def constant(name: str, *shape: int) -> str:
        values = (chance.standard_normal(shape) / 20).astype(np.float32)
        constants.append(numpy_helper.from_array(values, name))
        return name

    def op(kind: str, inputs: list[str], output: str, to: int | None = None) -> str:
        nodes.append(helper.make_node(kind, inputs, [output]))
        if to is not None:
            nodes[-1].attribute.append(helper.make_attribute("to", to))
        return output

    word = op("Gather", [constant("words", words, HIDDEN), "input_ids"], "word")
    kind = op("Gather", [constant("kinds", 2, HIDDEN), "token_type_ids"], "kind")
    x = op("Add", [word, kind], "x")
    # every token sees the mean of all, weighted by the mask, so the first token's row depends on the text
    constants.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
    constants.append(numpy_helper.from_array(np.array([2], np.int64), "last"))
    mask = op("Unsqueeze", [op("Cast", ["attention_mask"], "mask", TensorProto.FLOAT), "last"], "mask3")
    seen = op("ReduceMean", [op("Mul", [x, mask], "masked"), "axis"], "seen")
    mixed = op("MatMul", [op("Add", [x, seen], "sum"), constant("w", HIDDEN, HIDDEN)], "mixed")
    op("Tanh", [mixed], "last_hidden_state")
    return _serialised(nodes, constants)


def _serialised(nodes: list[Any], constants: list[Any]) -> bytes:
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", HIDDEN])
    graph = helper.make_graph(nodes, "small-bert", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    body: bytes = model.SerializeToString()
    return body
