"""`cortex models`: build the local encoder from published weights, and verify what was built."""

import importlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from cortex.adapters.onnx.package import ModelPackage, verify
from cortex.cli.options import DATA_FOLDER, JsonOption
from cortex.domain.errors import Invalid

app = typer.Typer(help="The local encoder: build it once, verify it at any time.", no_args_is_help=True)

ModelsDirOption = Annotated[
    Path, typer.Option("--dir", metavar="DIR", envvar="CORTEX_MODELS_DIR", help="The folder of built models.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Build anew, whatever is there.")]

MODELS_FOLDER = DATA_FOLDER / "models"
BUILD_MODULE = "cortex.adapters.onnx.build"


@dataclass(frozen=True, slots=True)
class Report:
    folder: str
    key: str
    sha256: str
    dimensions: int
    tokens_max: int
    languages: list[str]


@app.command()
def build(
    models_dir: ModelsDirOption = MODELS_FOLDER, force: ForceOption = False, json_output: JsonOption = False
) -> None:
    """Build the int8 model, or verify the one that is there. Needs the `models` extra, and no network."""
    # The builder imports onnx and safetensors, which a platform that runs a built model does without.
    try:
        builder = importlib.import_module(BUILD_MODULE)
    except ModuleNotFoundError as error:
        raise Invalid(f"{error.name} is not installed; run `pip install 'cortex-platform[models]'`") from error
    _print(builder.build(models_dir, force=force), json_output=json_output)


@app.command("verify")
def verify_built(models_dir: ModelsDirOption = MODELS_FOLDER, json_output: JsonOption = False) -> None:
    """Hash every file of the built model against its manifest."""
    _print(verify(models_dir), json_output=json_output)


def _print(package: ModelPackage, *, json_output: bool) -> None:
    card = package.card
    report = Report(
        folder=str(package.folder),
        key=card.key,
        sha256=card.sha256,
        dimensions=card.dimensions,
        tokens_max=card.tokens_max,
        languages=sorted(card.languages),
    )
    if json_output:
        typer.echo(json.dumps(asdict(report)))
    else:
        typer.echo(f"{report.key} in {report.folder}: verified")
