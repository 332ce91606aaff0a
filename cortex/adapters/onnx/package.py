"""A built model as a folder: what is in it, and that it is what was built."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.encoding import ModelCard
from cortex.domain.errors import Invalid

MODEL_FOLDER = "all-MiniLM-L6-v2-int8"
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MANIFEST_FILE = "manifest.json"

_MEND = "run `cortex models build --force`"


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """A verified folder: every file has the hash that its manifest states."""

    folder: Path
    card: ModelCard

    @property
    def model_path(self) -> Path:
        return self.folder / MODEL_FILE

    @property
    def tokenizer_path(self) -> Path:
        return self.folder / TOKENIZER_FILE


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, card: ModelCard, *, made_from: Mapping[str, str]) -> None:
    """`made_from` says where the weights came from and what built them; it is for people, and not read back."""
    manifest = {
        "name": card.name,
        "revision": card.revision,
        "dimensions": card.dimensions,
        "tokens_max": card.tokens_max,
        "languages": sorted(card.languages),
        "files": {name: sha256_of(folder / name) for name in (MODEL_FILE, TOKENIZER_FILE)},
        "made_from": dict(made_from),
    }
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def verify(models_dir: Path) -> ModelPackage:
    """The model below `models_dir`, after every file was hashed. Invalid names what is wrong and the mend."""
    folder = models_dir / MODEL_FOLDER
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        files = {name: str(manifest["files"][name]) for name in (MODEL_FILE, TOKENIZER_FILE)}
        card = ModelCard(
            name=manifest["name"],
            revision=manifest["revision"],
            sha256=files[MODEL_FILE],
            dimensions=manifest["dimensions"],
            tokens_max=manifest["tokens_max"],
            languages=frozenset(manifest["languages"]),
        )
        found = {name: sha256_of(folder / name) for name in files}
    except FileNotFoundError as error:
        raise Invalid(f"{error.filename}: no model is built here; run `cortex models build`") from error
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise Invalid(f"{folder / MANIFEST_FILE}: not a manifest of a built model; {_MEND}") from error
    for name, expected in files.items():
        if found[name] != expected:
            raise Invalid(f"{folder / name}: sha256 is {found[name]}, the manifest says {expected}; {_MEND}")
    return ModelPackage(folder, card)
