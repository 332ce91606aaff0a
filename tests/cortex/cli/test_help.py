"""Every command explains itself, and a mistake in its use is one message with exit code 2."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command
from typer.testing import CliRunner

from cortex.cli import app
from cortex.cli.exits import ExitCode
from cortex.cli.search import moment

NAMES = {"up", "down", "status", "doctor", "demo", "token", "source", "search", "ask"}


Command = TyperCommand | TyperGroup


def commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    """All of them, with the words that lead to each."""
    assert isinstance(command, Command)
    yield path, command
    if isinstance(command, TyperGroup):
        for name, below in command.commands.items():
            yield from commands(below, (*path, name))


EVERY = dict(commands(get_command(app)))


def options(command: Command) -> list[TyperOption]:
    return [parameter for parameter in command.params if isinstance(parameter, TyperOption)]


def test_the_commands_of_the_contract_are_there() -> None:
    assert {path[0] for path in EVERY if path} >= NAMES
    assert {path[1] for path in EVERY if path[:1] == ("source",) and len(path) == 2} == {"add", "list", "sync", "rm"}


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_each_command_has_help(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*path, "--help"], env={"TERM": "dumb"})
    assert result.exit_code == ExitCode.DONE, result.output
    assert "Usage" in result.output
    assert (EVERY[path].help or "").strip()


@pytest.mark.parametrize("path", [path for path in EVERY if path], ids=" ".join)
def test_each_option_of_a_command_is_explained(path: tuple[str, ...]) -> None:
    assert [option.name for option in options(EVERY[path]) if not option.help] == []


@pytest.mark.parametrize("path", [path for path in EVERY if path], ids=" ".join)
def test_an_unknown_option_is_a_mistake_in_use(path: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*path, "--no-such-option"])
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == ""


def test_the_version_is_printed_alone() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (ExitCode.DONE, f"cortex {version('cortex-platform')}\n")


@pytest.mark.parametrize("words", [("ask", " "), ("erase",), ("search", "x", "--mode", "telepathy")], ids=" ".join)
def test_what_says_nothing_is_a_mistake_in_use(words: tuple[str, ...], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [*words, "--data", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (ExitCode.USAGE, "")


def test_under_json_an_error_is_one_object_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cortex.cli", "search", "x", "--json", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.NOT_FOUND
    assert json.loads(done.stdout)["error"]["detail"] == done.stderr.strip().removeprefix("cortex: ")


@pytest.mark.parametrize(
    ("said", "sent"), [("2020-01-01", "2020-01-01T00:00:00Z"), ("2020-01-01T09:00:00Z", "2020-01-01T09:00:00Z")]
)
def test_a_date_is_its_midnight(said: str, sent: str) -> None:
    assert moment(said) == sent


def test_completion_is_offered() -> None:
    offered = {name for option in options(EVERY[()]) for name in option.opts}
    assert offered >= {"--install-completion", "--show-completion"}
