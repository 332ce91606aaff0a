"""Every command explains itself, and a mistake in its use is one message with exit code 2."""

from collections.abc import Iterator

import pytest
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command
from typer.testing import CliRunner

from cortex.cli import app
from cortex.cli.exits import ExitCode

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


def test_completion_is_offered() -> None:
    offered = {name for option in options(EVERY[()]) for name in option.opts}
    assert offered >= {"--install-completion", "--show-completion"}
