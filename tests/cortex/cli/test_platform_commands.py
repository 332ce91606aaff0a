"""`up`, `status` and `down` as a user runs them, on a platform of two small servers."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cortex.cli.exits import ExitCode, exit_code_for
from cortex.cli.up import parse_ports, parse_roles
from cortex.domain.errors import Bug, Conflict, CortexError, Denied, Invalid, NotFound, Transient
from cortex.runtime.local.options import Role

TIMEOUT_S = 60.0
# Given addresses are used and not started, which leaves NATS and Valkey.
ELSEWHERE = {
    "CORTEX_DATABASE_URL": "postgresql://x:y@127.0.0.1:1/z",
    "CORTEX_SPICEDB_URL": "127.0.0.1:1",
    "CORTEX_TEMPORAL_URL": "127.0.0.1:1",
    "CORTEX_QDRANT_URL": "http://127.0.0.1:1",
}


def cortex(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cortex.cli", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(cortex(*arguments), capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = cortex("up", "--data", str(tmp_path), "--roles", "none")
    environment = {**os.environ, **ELSEWHERE}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        assert any(line.startswith("ready after") for line in process.stderr)
        yield process
        process.terminate()


@pytest.mark.servers
def test_a_platform_is_started_shown_and_stopped(platform: subprocess.Popen[str], tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    status = run("status", *data, "--json")
    assert status.returncode == ExitCode.DONE, status.stderr
    shown = json.loads(status.stdout)
    assert [process["name"] for process in shown["processes"]] == ["supervisor", "nats", "valkey"]
    assert shown["pid"] == platform.pid
    assert "nats" in run("status", *data).stdout

    second = run("up", *data, "--roles", "none")
    assert second.returncode == ExitCode.INVALID_INPUT
    assert f"pid {platform.pid}" in second.stderr

    down = run("down", *data)
    assert down.returncode == ExitCode.DONE, down.stderr
    assert platform.wait(timeout=TIMEOUT_S) == 0
    assert run("status", *data).returncode == ExitCode.NOT_FOUND
    assert run("down", *data).returncode == ExitCode.NOT_FOUND


@pytest.mark.servers
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_in_order(platform: subprocess.Popen[str], number: signal.Signals) -> None:
    platform.send_signal(number)
    assert platform.wait(timeout=TIMEOUT_S) == 0
    assert platform.stderr is not None
    assert platform.stderr.read().splitlines()[-1] == "stopped"


def test_ports_are_read_by_name() -> None:
    assert parse_ports("postgres=5433,nats=4222") == {"postgres": 5433, "nats": 4222}
    assert parse_ports("") == {}


@pytest.mark.parametrize("text", ["postgres", "postgres=", "postgres=x", "postgres=0", "postgres=70000"])
def test_a_port_that_is_none_is_refused_by_its_place(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="postgres"):
        parse_ports(text)


def test_roles_are_chosen_by_name() -> None:
    assert parse_roles("gateway, models") == {Role.GATEWAY, Role.MODELS}
    assert parse_roles("none") == frozenset()
    with pytest.raises(typer.BadParameter, match="choose from"):
        parse_roles("gatway")


@pytest.mark.parametrize(
    ("error", "code"),
    [(Invalid("x"), 4), (Conflict("x"), 4), (NotFound("x"), 3), (Denied("x"), 5), (Transient("x"), 6), (Bug("x"), 1)],
)
def test_errors_have_their_exit_codes(error: CortexError, code: int) -> None:
    assert exit_code_for(error) == code


def test_a_wrong_option_is_a_usage_error() -> None:
    assert run("up", "--nonsense").returncode == ExitCode.USAGE


@pytest.mark.parametrize("command", ["up", "doctor", "demo"])
def test_a_port_beyond_the_last_is_a_usage_error(command: str) -> None:
    assert run(command, "--port", "99999").returncode == ExitCode.USAGE


def test_without_a_model_nothing_is_started(tmp_path: Path) -> None:
    command = cortex("up", "--data", str(tmp_path / "data"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=tmp_path)
    assert done.returncode == ExitCode.INVALID_INPUT
    assert f"cortex models build --dir {tmp_path / 'data' / 'models'}" in " ".join(done.stderr.split())
    assert not list((tmp_path / "data" / "logs").iterdir())


def test_on_a_file_no_platform_runs(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    assert run("status", "--data", str(tmp_path / "data")).returncode == ExitCode.NOT_FOUND
