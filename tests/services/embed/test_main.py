"""The embed gateway as a process: up, answering, and gone on SIGTERM."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cortex.adapters.clock import SystemClock
from cortex.adapters.models_rpc import ModelsClient, models_channel
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.domain.errors import Denied
from cortex.domain.identity import tenant_id
from tests.built_model import built_model

KEY = "an internal key of this test"


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


async def start(tmp_path: Path, **environment: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.embed",
        env={**os.environ, "CORTEX_DATA": str(tmp_path), **environment},
        stderr=asyncio.subprocess.PIPE,
    )


async def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    address = free_address()
    process = await start(
        tmp_path,
        CORTEX_MODELS_DIR=str(built_model().folder.parent),
        CORTEX_MODELS_URL=f"grpc://{address}",
        CORTEX_INTERNAL_KEY=KEY,
    )
    try:
        async with models_channel(f"grpc://{address}") as channel:
            await asyncio.wait_for(channel.channel_ready(), timeout=30)
            health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert health.status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(Denied):
                await ModelsClient(channel).encode_query(tenant_id("acme"), "notice period")
            client = ModelsClient(channel, metadata=SignedMetadata(KEY, SystemClock()).sign)
            query = await client.encode_query(tenant_id("acme"), "notice period")
            assert query.model_key == built_model().card.key
        process.send_signal(signal.SIGTERM)
        _, errors = await asyncio.wait_for(process.communicate(), timeout=30)
        assert (process.returncode, errors) == (0, b"")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_without_a_model_it_says_what_to_run(tmp_path: Path) -> None:
    process = await start(
        tmp_path, CORTEX_MODELS_DIR=str(tmp_path), CORTEX_MODELS_URL=free_address(), CORTEX_INTERNAL_KEY=KEY
    )
    _, errors = await asyncio.wait_for(process.communicate(), timeout=30)
    assert process.returncode == 1
    assert errors.decode().startswith("embed: ")
    assert "run `cortex models build`" in errors.decode()
    assert b"Traceback" not in errors


async def test_without_a_key_it_does_not_start(tmp_path: Path) -> None:
    process = await start(tmp_path, CORTEX_INTERNAL_KEY="", CORTEX_MODELS_URL=free_address())
    _, errors = await asyncio.wait_for(process.communicate(), timeout=30)
    assert process.returncode == 1
    assert b"set CORTEX_INTERNAL_KEY" in errors
