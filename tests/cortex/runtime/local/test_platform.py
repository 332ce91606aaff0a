"""Whole servers, started as users start them."""

import asyncio
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import LiteralString

import nats
import psycopg
import pytest
import redis.asyncio as redis
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client

from cortex.adapters.processes import ProcessIdentity, identify, is_running
from cortex.domain.errors import Conflict, Invalid
from cortex.runtime.local import Hooks, Migration, PlatformOptions, ServerName, platform, record
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.report import report
from cortex.runtime.supervisor import ProcessState
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers


def options(data: Path, *servers: ServerName, **environment: str) -> PlatformOptions:
    return PlatformOptions(
        data=data, servers=frozenset(servers), roles=frozenset(), environment=environment, disposable=False
    )


async def no_migration(_migration: Migration) -> None:
    return


async def test_postgres_keeps_what_it_promises(postgres_url: PostgresUrls) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url.admin) as connection:
        for setting, wanted in {"fsync": "on", "synchronous_commit": "on", "jit": "off"}.items():
            row = await (await connection.execute(f"SHOW {setting}")).fetchone()
            assert row == (wanted,)
        row = await (await connection.execute("SHOW server_encoding")).fetchone()
        assert row == ("UTF8",)


async def test_the_role_of_services_is_not_the_bootstrap_role(postgres_url: PostgresUrls) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url.service) as connection:
        query = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        assert await (await connection.execute(query)).fetchone() == (False, False)


async def test_a_wrong_password_is_refused_by_every_server_that_has_one(
    postgres_url: PostgresUrls, nats_url: str, redis_url: str
) -> None:
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        await psycopg.AsyncConnection.connect(postgres_url.service, password="wrong")
    nats_port = int(nats_url.rpartition(":")[2])
    wrong = b'CONNECT {"user": "cortex", "pass": "wrong", "verbose": false}\r\nPING\r\n'
    assert "Authorization Violation" in await ask(nats_port, wrong)
    async with redis.from_url(f"redis://:wrong@{redis_url.rpartition('@')[2]}") as client:
        with pytest.raises(redis.AuthenticationError):
            await client.ping()


async def ask(port: int, request: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()  # the greeting
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.decode()


async def test_nats_has_jetstream(nats_url: str) -> None:
    client = await nats.connect(nats_url)
    stream = client.jetstream()
    await stream.add_stream(name="t", subjects=["t.>"])
    assert (await stream.publish("t.a", b"x")).seq == 1
    await stream.delete_stream("t")
    await client.close()


async def test_valkey_is_a_cache(redis_url: str) -> None:
    async with redis.from_url(redis_url) as client:
        await client.set("a", "1", ex=60)
        assert await client.get("a") == b"1"
        assert (await client.config_get("save"))["save"] == ""


async def test_temporal_has_its_namespace_once_it_is_ready(temporal_url: str) -> None:
    client = await Client.connect(temporal_url, namespace="cortex")
    described = await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="cortex"))
    assert described.namespace_info.name == "cortex"


async def test_a_second_platform_on_the_same_data_is_refused_with_the_first_ones_pid(tmp_path: Path) -> None:
    one = options(tmp_path, ServerName.VALKEY)
    async with platform(one):
        with pytest.raises(Conflict, match=rf"already runs on {tmp_path} \(pid {os.getpid()}"):
            async with platform(one):
                pass


async def test_data_ports_and_passwords_outlive_a_stop(tmp_path: Path) -> None:
    one = PlatformOptions(
        data=tmp_path, servers=frozenset({ServerName.POSTGRES, ServerName.NATS}), roles=frozenset(), migrate=False
    )
    async with platform(one) as first:
        await execute(first.urls["CORTEX_DATABASE_ADMIN_URL"], "CREATE TABLE kept (n int)")
    async with platform(replace(one, disposable=True)) as second:
        assert second.urls == first.urls
        await execute(second.urls["CORTEX_DATABASE_ADMIN_URL"], "SELECT FROM kept")


async def execute(url: str, statement: LiteralString) -> None:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        await connection.execute(statement)


async def test_what_a_crash_left_running_is_stopped_at_the_next_start(tmp_path: Path) -> None:
    folder = DataFolder.open(tmp_path)
    # By a shell that ends at once, so that it is nobody's child here, as after a crash.
    command = ["/bin/sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"]
    started = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    identity = identify(int(started.stdout))
    me = identify(os.getpid())
    assert identity is not None
    assert me is not None
    innocent = record.ProcessRecord(
        name="b", state=ProcessState.READY, identity=ProcessIdentity(me.pid, me.started_at - 100)
    )
    left = record.ProcessRecord(name="a", state=ProcessState.READY, identity=identity)
    record.save(folder, record.RuntimeRecord(supervisor=identity, ports={}, processes=(left, innocent)))
    async with platform(options(tmp_path, ServerName.VALKEY)):
        assert not is_running(identity)


async def test_the_report_counts_memory_and_restarts(tmp_path: Path) -> None:
    async with platform(options(tmp_path, ServerName.VALKEY, ServerName.NATS)) as running:
        found = await asyncio.to_thread(report, DataFolder(tmp_path))
        assert [process.name for process in found.processes] == ["supervisor", "nats", "valkey"]
        assert found.well
        assert found.pss_mb > 0
        assert {status.state for status in running.status()} == {ProcessState.READY}


async def test_an_unknown_process_in_the_ports_is_named(tmp_path: Path) -> None:
    wrong = PlatformOptions(data=tmp_path, servers=frozenset(), roles=frozenset(), ports={"mongo": 1})
    with pytest.raises(Invalid, match="no process is called mongo"):
        async with platform(wrong, Hooks(migrate=no_migration)):
            pass


async def test_what_fails_leaves_no_text_of_a_question_in_the_log_of_postgres(tmp_path: Path) -> None:
    only = PlatformOptions(data=tmp_path, servers=frozenset({ServerName.POSTGRES}), roles=frozenset(), migrate=False)
    async with platform(only) as running:
        url = running.urls["CORTEX_DATABASE_ADMIN_URL"]
        await execute(url, "CREATE TABLE kept (text text PRIMARY KEY)")
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("INSERT INTO kept VALUES (%s)", ["canary-of-a-question"])
            with pytest.raises(psycopg.errors.UniqueViolation, match="canary"):
                await connection.execute("INSERT INTO kept VALUES (%s)", ["canary-of-a-question"])
            with pytest.raises(psycopg.errors.UndefinedColumn):
                await connection.execute("SELECT 'canary-of-a-question' FROM kept WHERE missing = 1")
            with pytest.raises(psycopg.errors.DivisionByZero):
                await connection.execute("SELECT %s::text, length(%s) / 0", ["canary-of-a-question"] * 2)
    log = await asyncio.to_thread((DataFolder(tmp_path).logs / "postgres.log").read_text)
    assert "duplicate key value" in log
    assert "canary" not in log
