"""Writes multilingual-e5-small as an ONNX graph with 4-bit weights for one text at a time.

Knows the network: x = LN(word + position + type); per layer x = LN(x + Wo·attention(x)), x = LN(x + W2·gelu(W1·x)); the
mean over all tokens, made length 1. Refuses to know files and tokens. Invariant: every 4-bit weight and scale is the
one of the weights file, bit for bit; there is no mask input, so a batch holds texts of one length only.
Operators: ONNX opset 21 and onnxruntime's com.microsoft (GatherBlockQuantized, MatMulNBits, MultiHeadAttention,
SkipLayerNormalization, BiasGelu).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from layers.embed_model.e5s1 import BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from layers.embed_model.e5s1 import Weights

OUTPUT = "sentence_embedding"
_FUSED = "com.microsoft"
_INT8_ACTIVATIONS = 4  # MatMulNBits' accuracy_level: products in int8 blocks; cosine to fp32 ≥ 0.9998


def written(weights: Weights, kept: Sequence[int]) -> bytes:
    """Gives the bytes of the ONNX model whose token i has the embedding row kept[i]."""
    import onnx
    from onnx import helper

    graph = _Graph(weights)
    x = _embeddings(graph, kept)
    for layer in range(weights.shape.layers):
        x = _attention(graph, f"l{layer}.", x)
        x = _feed_forward(graph, f"l{layer}.", x)
    _pooling(graph, x)
    ids = helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, ["batch", weights.shape.hidden])
    made = helper.make_graph(graph.nodes, "multilingual-e5-small", [ids], [out], graph.constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_FUSED, 1)]
    model = helper.make_model(made, opset_imports=opsets, producer_name="paramecium", ir_version=10)
    body: bytes = model.SerializeToString(deterministic=True)
    return body


class _Graph:
    """The weights, and the nodes and constants written so far; a node is called after its first output."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def four_bits(self, name: str, values: NDArray[np.uint8]) -> str:
        from onnx import TensorProto

        signed = _pairs((values + np.uint8(8)) & np.uint8(15)).tobytes()  # value − 8 as a two's complement nibble
        tensor = TensorProto(name=name, data_type=TensorProto.INT4, dims=values.shape, raw_data=signed)
        self.constants.append(tensor)
        return name

    def op(self, kind: str, inputs: Sequence[str], *outputs: str, domain: str = "", **attributes: float) -> str:
        from onnx import helper

        node = helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in sorted(attributes.items()))
        self.nodes.append(node)
        return outputs[0]


def _pairs(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Packs neighbours into one byte, the even one in its low half."""
    packed: NDArray[np.uint8] = values[..., 0::2] | values[..., 1::2] << np.uint8(4)
    return packed


def _embeddings(graph: _Graph, kept: Sequence[int]) -> str:
    shape = graph.weights.shape
    values, scales = graph.weights.nibbles("emb.word", shape.rows, shape.hidden)
    rows = [
        graph.four_bits("word", values[kept]),
        "input_ids",
        graph.constant("word.scales", scales[kept]),
    ]
    attributes = {"block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1}
    graph.op("GatherBlockQuantized", rows, "word.half", domain=_FUSED, **attributes)
    graph.op("Cast", ["word.half"], "word.rows", to=1)
    positions = graph.weights.floats("emb.pos", shape.positions, shape.hidden)
    kind = graph.weights.floats("emb.type", shape.types, shape.hidden)[0]
    graph.op("Shape", ["input_ids"], "length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], np.int64))
    graph.op("Slice", [graph.constant("positions", positions + kind), zero, "length", zero], "positions.rows")
    graph.op("Add", ["word.rows", "positions.rows"], "embedded")
    norm = [graph.constant(f"emb.ln.{part}", graph.weights.floats(f"emb.ln.{part}", shape.hidden)) for part in "wb"]
    return graph.op("LayerNormalization", ["embedded", *norm], "x", axis=-1, epsilon=shape.epsilon)


def _attention(graph: _Graph, layer: str, x: str) -> str:
    hidden = graph.weights.shape.hidden
    parts = [f"{layer}{part}" for part in "qkv"]
    _linear(graph, [f"{part}.w" for part in parts], (hidden, hidden), x, f"{layer}qkv")
    graph.op("Split", [f"{layer}qkv"], *parts, axis=-1, num_outputs=3)
    bias = np.concatenate([graph.weights.floats(f"{part}.b", hidden) for part in parts])
    inputs = [*parts, graph.constant(f"{layer}qkv.b", bias)]
    graph.op("MultiHeadAttention", inputs, f"{layer}seen", domain=_FUSED, num_heads=graph.weights.shape.heads)
    _linear(graph, [f"{layer}ao.w"], (hidden, hidden), f"{layer}seen", f"{layer}ao")
    return _added(graph, x, f"{layer}ao", f"{layer}aln")


def _feed_forward(graph: _Graph, layer: str, x: str) -> str:
    hidden, wide = graph.weights.shape.hidden, graph.weights.shape.ffn
    _linear(graph, [f"{layer}fi.w"], (wide, hidden), x, f"{layer}fi")
    bias = graph.constant(f"{layer}fi.b", graph.weights.floats(f"{layer}fi.b", wide))
    graph.op("BiasGelu", [f"{layer}fi", bias], f"{layer}bent", domain=_FUSED)
    _linear(graph, [f"{layer}fo.w"], (hidden, wide), f"{layer}bent", f"{layer}fo")
    return _added(graph, x, f"{layer}fo", f"{layer}oln")


def _linear(graph: _Graph, names: Sequence[str], size: tuple[int, int], x: str, output: str) -> None:
    """Multiplies x by the transposed matrices of `names`, stacked by rows, without a bias."""
    rows, columns = size
    values, scales = zip(*(graph.weights.nibbles(name, rows, columns) for name in names), strict=True)
    height = rows * len(names)
    packed = _pairs(np.concatenate(values)).reshape(height, columns // BLOCK, BLOCK // 2)
    inputs = [
        x,
        graph.constant(f"{output}.values", packed),
        graph.constant(f"{output}.scales", np.concatenate(scales).astype(np.float32)),
    ]
    attributes = {"K": columns, "N": height, "bits": 4, "block_size": BLOCK, "accuracy_level": _INT8_ACTIVATIONS}
    graph.op("MatMulNBits", inputs, output, domain=_FUSED, **attributes)


def _added(graph: _Graph, x: str, y: str, norm: str) -> str:
    """Adds y and its bias to x and normalises the sum."""
    hidden = graph.weights.shape.hidden
    parts = [graph.constant(f"{norm}.{part}", graph.weights.floats(f"{norm}.{part}", hidden)) for part in "wb"]
    bias = graph.constant(f"{y}.b", graph.weights.floats(f"{y}.b", hidden))
    inputs = [x, y, *parts, bias]
    epsilon = graph.weights.shape.epsilon
    return graph.op("SkipLayerNormalization", inputs, f"{norm}.x", domain=_FUSED, epsilon=epsilon)


def _pooling(graph: _Graph, x: str) -> None:
    graph.op("ReduceMean", [x, graph.constant("tokens_axis", np.array([1], np.int64))], "mean", keepdims=0)
    graph.op("ReduceL2", ["mean", graph.constant("last_axis", np.array([-1], np.int64))], "length_of_mean", keepdims=1)
    graph.op("Max", ["length_of_mean", graph.constant("tiny", np.array(1e-12, np.float32))], "divisor")
    graph.op("Div", ["mean", "divisor"], OUTPUT)
