"""`cortex models build` and `verify`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cortex.cli.models import app
from cortex.domain.errors import Invalid
from tests.built_model import built_model

RUNNER = CliRunner()


@pytest.mark.parametrize("command", ["build", "verify"])
def test_a_model_that_is_there_is_verified_and_described_as_one_object(command: str) -> None:
    folder = built_model().folder
    result = RUNNER.invoke(app, [command, "--dir", str(folder.parent), "--json"])
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert (report["folder"], report["key"]) == (str(folder), built_model().card.key)


def test_a_model_that_is_not_there_is_invalid_with_the_mend(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["verify", "--dir", str(tmp_path)])
    assert isinstance(result.exception, Invalid)
    assert "cortex models build" in str(result.exception)


def test_the_folder_comes_from_the_environment() -> None:
    result = RUNNER.invoke(app, ["verify"], env={"CORTEX_MODELS_DIR": str(built_model().folder.parent)})
    assert result.exit_code == 0
    assert built_model().card.key in result.stdout
