"""`cortex token`: what it prints is a token of what was asked for, alone, and holds for as long as was asked."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cortex.adapters.local_tokens import LocalClaims, LocalTokens
from cortex.cli import app
from cortex.cli.exits import ExitCode
from cortex.domain.credential import Role
from cortex.domain.errors import Denied, NotFound

EMAIL = "ann@acme.example"


class ClockAt:
    def __init__(self, ahead: timedelta) -> None:
        self._ahead = ahead

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead


def token(data: Path, *arguments: str) -> str:
    """From a folder in which a platform has made its key."""
    data.mkdir(exist_ok=True)
    LocalTokens(data / "token.key", ClockAt(timedelta()))
    result = CliRunner().invoke(app, ["token", EMAIL, "--data", str(data), *arguments])
    assert result.exit_code == ExitCode.DONE, result.output
    assert result.stdout.count("\n") == 1, "printed alone"
    return result.stdout.strip()


def verified(data: Path, printed: str, *, after: timedelta = timedelta()) -> LocalClaims:
    return LocalTokens(data / "token.key", ClockAt(after)).verify(printed)


def test_a_token_says_whose_it_is(tmp_path: Path) -> None:
    assert verified(tmp_path, token(tmp_path)) == LocalClaims("default", EMAIL, Role.MEMBER)
    printed = token(tmp_path, "--tenant", "acme", "--role", "auditor")
    assert verified(tmp_path, printed) == LocalClaims("acme", EMAIL, Role.AUDITOR)


def test_the_key_of_another_data_folder_does_not_vouch_for_it(tmp_path: Path) -> None:
    printed = token(tmp_path / "one")
    token(tmp_path / "other")
    with pytest.raises(Denied, match="not made by this platform"):
        verified(tmp_path / "other", printed)


def test_a_folder_without_a_platform_stays_as_it_is(tmp_path: Path) -> None:
    mistyped = tmp_path / "mistyped"
    result = CliRunner().invoke(app, ["token", EMAIL, "--data", str(mistyped)])
    assert isinstance(result.exception, NotFound)
    assert str(mistyped) in str(result.exception)
    assert not mistyped.exists()


def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    token(tmp_path)
    assert (tmp_path / "token.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "arguments",
    [
        ("--ttl", "0h"),
        ("--ttl", "-1h"),
        ("--ttl", "8"),
        ("--ttl", "8w"),
        ("--ttl", "31d"),
        ("--ttl", "99999999s"),
        ("--ttl", ""),
        ("--role", "emperor"),
    ],
)
def test_a_wrong_option_is_a_mistake_in_use(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["token", EMAIL, "--data", str(tmp_path), *arguments])
    assert (result.exit_code, result.stdout) == (ExitCode.USAGE, "")
