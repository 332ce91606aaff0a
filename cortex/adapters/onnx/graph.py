"""The BERT encoder as an ONNX graph, from its published weights.

One text at a time, hence no padding and no mask. Onnxruntime's fused operators make it several times faster than the
exported graph, and one graph gives both the pooled vector and the token vectors. `onnx` is needed here alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
FUSED = "com.microsoft"

Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class BertShape:
    """The numbers of the model's config.json that the graph depends on."""

    layers: int
    heads: int
    dimensions: int
    tokens_max: int
    epsilon: float


class _Graph:
    """Nodes and initialisers in the order of their making, so that a rebuild gives the same bytes."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[TensorProto] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.initialisers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self,
        operator: str,
        inputs: list[str],
        output: str,
        *,
        fused: bool = False,
        **attributes: int | float | list[int],
    ) -> str:
        domain = FUSED if fused else ""
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, domain=domain))
        self.nodes[-1].attribute.extend(helper.make_attribute(key, value) for key, value in sorted(attributes.items()))
        return output


def bert_graph(weights: Weights, shape: BertShape) -> onnx.ModelProto:
    """`input_ids` (1, n) -> `pooled` (1, d) and `tokens` (1, n, d), every vector of length one."""
    graph = _Graph()
    hidden = _embeddings(graph, weights, shape)
    for layer in range(shape.layers):
        hidden = _layer(graph, weights, layer=layer, hidden=hidden, shape=shape)
    mean = graph.node("ReduceMean", [hidden], "mean", axes=[1], keepdims=0)
    graph.node("LpNormalization", [mean], "pooled", axis=-1, p=2)
    graph.node("LpNormalization", [hidden], "tokens", axis=-1, p=2)
    proto = helper.make_graph(
        graph.nodes,
        "bert",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"])],
        [
            helper.make_tensor_value_info("pooled", TensorProto.FLOAT, [1, shape.dimensions]),
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "n", shape.dimensions]),
        ],
        graph.initialisers,
    )
    model = helper.make_model(
        proto,
        producer_name="cortex",
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)],
        ir_version=IR_VERSION,
    )
    # The quantiser's preparation (fusing, folding) has nothing to do here, and this mark keeps it from asking for it.
    helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    onnx.checker.check_model(model)
    return model


def _embeddings(graph: _Graph, weights: Weights, shape: BertShape) -> str:
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    # Every token is of type 0, so that its type's vector is a constant of its position.
    positions = weights["embeddings.position_embeddings.weight"][: shape.tokens_max]
    typed = positions + weights["embeddings.token_type_embeddings.weight"][0]
    table = graph.constant("positions", typed[np.newaxis])
    start, one = graph.constant("start", np.array([0], np.int64)), graph.constant("one", np.array([1], np.int64))
    word = graph.node("Gather", [words, "input_ids"], "word_vectors")
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    position = graph.node("Slice", [table, start, length, one], "position_vectors")
    return graph.node(
        "SkipLayerNormalization",
        [word, position, *_norm(graph, weights, "embeddings.LayerNorm")],
        "embedded",
        fused=True,
        epsilon=shape.epsilon,
    )


def _norm(graph: _Graph, weights: Weights, name: str) -> list[str]:
    return [graph.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias")]


def _layer(graph: _Graph, weights: Weights, *, layer: int, hidden: str, shape: BertShape) -> str:
    prefix = f"encoder.layer.{layer}"

    def dense(name: str, source: str) -> tuple[str, str]:
        """The product and the name of the bias, which the operator after it adds."""
        weight = graph.constant(f"{prefix}.{name}.weight", weights[f"{prefix}.{name}.weight"].T)
        bias = graph.constant(f"{prefix}.{name}.bias", weights[f"{prefix}.{name}.bias"])
        return graph.node("MatMul", [source, weight], f"{prefix}.{name}.product"), bias

    def add_norm(name: str, product: str, *, skip: str, bias: str) -> str:
        norm = _norm(graph, weights, f"{prefix}.{name}.LayerNorm")
        inputs = [product, skip, *norm, bias]
        output = f"{prefix}.{name}.sum"
        return graph.node("SkipLayerNormalization", inputs, output, fused=True, epsilon=shape.epsilon)

    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    joined = graph.constant(f"{prefix}.qkv", np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1))
    offset = graph.constant(f"{prefix}.qkv.bias", np.concatenate([weights[f"{part}.bias"] for part in parts]))
    attended = graph.node(
        "Attention", [hidden, joined, offset], f"{prefix}.attended", fused=True, num_heads=shape.heads
    )
    product, bias = dense("attention.output.dense", attended)
    attention = add_norm("attention.output", product, skip=hidden, bias=bias)
    product, bias = dense("intermediate.dense", attention)
    active = graph.node("BiasGelu", [product, bias], f"{prefix}.active", fused=True)
    product, bias = dense("output.dense", active)
    return add_norm("output", product, skip=attention, bias=bias)
