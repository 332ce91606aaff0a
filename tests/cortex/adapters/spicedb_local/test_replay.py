"""The store is complete before the port opens, or the port never opens."""

import asyncio
import os
import sys
from pathlib import Path

import grpc
import psycopg
import pytest
from authzed.api.v1 import (
    AsyncClient,
    CheckPermissionRequest,
    CheckPermissionResponse,
    ObjectReference,
    SubjectReference,
)
from grpcutil import insecure_bearer_token_credentials  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from cortex.adapters.spicedb_local.replay import BATCH_UPDATES, TupleRow, load_tuples
from cortex.adapters.spicedb_local.server import status_of
from cortex.runtime.local import Hooks, Migration, PlatformOptions, ServerName, platform

TUPLES = 2 * BATCH_UPDATES + 7
TIMEOUT_S = 60.0
NO_DATABASE = "postgresql://nobody@127.0.0.1:1/none"
MAKE_TUPLES = f"""
CREATE ROLE cortex_replay LOGIN NOSUPERUSER;
CREATE TABLE tuples (n int);
INSERT INTO tuples SELECT generate_series(1, {TUPLES});
CREATE FUNCTION cortex_replay_tuples() RETURNS TABLE (resource_type text, resource_id text, relation text,
    subject_type text, subject_id text, subject_relation text) LANGUAGE sql SECURITY DEFINER AS
$$ SELECT 'generation', 'g' || n, 'member', 'person', 'p' || n, '' FROM tuples $$;
"""


async def make_tuples(migration: Migration) -> None:
    async with await psycopg.AsyncConnection.connect(migration.admin_url) as connection:
        await connection.execute(MAKE_TUPLES)
        await connection.execute(f"ALTER ROLE cortex_replay PASSWORD '{migration.replay_password}'")


class RecordingEngine:
    def __init__(self) -> None:
        self.requests: list[bytes] = []

    def call(self, _method: str, request: bytes) -> bytes:
        self.requests.append(request)
        return b""


@given(st.integers(0, 3 * BATCH_UPDATES))
def test_tuples_are_written_in_batches_that_the_engine_takes(count: int) -> None:
    engine = RecordingEngine()
    rows: list[TupleRow] = [("group", "g", "member", "person", "p", "")] * count
    assert load_tuples(engine, rows) == count
    assert len(engine.requests) == -(-count // BATCH_UPDATES)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rpc error: code = FailedPrecondition desc = no", grpc.StatusCode.FAILED_PRECONDITION),
        ("rpc error: code = NotFound desc = a\nb", grpc.StatusCode.NOT_FOUND),
        ("rpc error: code = Martian desc = x", grpc.StatusCode.UNKNOWN),
        ("panic", grpc.StatusCode.UNKNOWN),
    ],
)
def test_engine_errors_become_status_codes(text: str, code: grpc.StatusCode) -> None:
    assert status_of(text)[0] is code


@pytest.mark.servers
async def test_every_tuple_is_there_at_the_first_answer_and_again_after_a_kill(tmp_path: Path) -> None:
    options = PlatformOptions(
        data=tmp_path / "data",
        servers=frozenset({ServerName.POSTGRES, ServerName.SPICEDB}),
        roles=frozenset(),
        disposable=True,
    )
    async with platform(options, Hooks(migrate=make_tuples)) as running:
        await assert_complete(running.urls["CORTEX_SPICEDB_URL"], running.urls["CORTEX_SPICEDB_KEY"])
        process = next(status for status in running.status() if status.name == "spicedb")
        assert process.pid is not None
        os.kill(process.pid, 9)
        await assert_complete(running.urls["CORTEX_SPICEDB_URL"], running.urls["CORTEX_SPICEDB_KEY"])


async def assert_complete(url: str, key: str) -> None:
    """The first answer that comes at all must know the last tuple."""
    client = AsyncClient(url, insecure_bearer_token_credentials(key))
    request = CheckPermissionRequest(
        resource=ObjectReference(object_type="generation", object_id=f"g{TUPLES}"),
        permission="member",
        subject=SubjectReference(object=ObjectReference(object_type="person", object_id=f"p{TUPLES}")),
    )
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            try:
                answer = await client.CheckPermission(request, wait_for_ready=True)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNAVAILABLE:  # the connection to the old life broke
                    continue
                raise
            assert answer.permissionship == CheckPermissionResponse.PERMISSIONSHIP_HAS_PERMISSION
            return


async def test_it_never_listens_when_the_replay_fails(tmp_path: Path) -> None:
    code, output = await run_server(tmp_path, "--database-url", NO_DATABASE, schema="definition person {}")
    assert code == 1
    assert "the permission tuples cannot be read from Postgres" in output
    assert "listening" not in output


async def test_a_broken_schema_is_named_and_ends_it(tmp_path: Path) -> None:
    code, output = await run_server(tmp_path, "--empty", schema="definition oops")
    assert code == 1
    assert "the permission schema was refused" in output


async def run_server(folder: Path, *arguments: str, schema: str) -> tuple[int | None, str]:
    key_file, schema_file = folder / "key", folder / "schema.zed"
    await asyncio.to_thread(key_file.write_text, "k")
    await asyncio.to_thread(schema_file.write_text, schema)
    files = ("--key-file", str(key_file), "--schema", str(schema_file))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cortex.adapters.spicedb_local", "--port", "0", *files, *arguments),
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(TIMEOUT_S):
        _, output = await process.communicate()
    return process.returncode, output.decode()
