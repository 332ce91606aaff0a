"""Each service that may run alone does: it gets ready, and SIGTERM ends it in order."""

import asyncio
import os
import signal
import socket
import sys
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.local_tokens import LocalClaims, LocalTokens
from cortex.adapters.models_rpc import ModelsClient, models_channel
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.domain.credential import Role
from cortex.domain.errors import Denied
from cortex.domain.identity import tenant_id
from cortex.runtime.local import ServerName
from tests.built_model import built_model
from tests.e2e.waiting import eventually
from tests.local_servers import KeyedUrl, LocalServers, PostgresUrls

pytestmark = pytest.mark.servers

KEY = "an internal key of this test"
START_S = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def own_nats_url() -> Iterator[str]:
    """Services keep their consumers, and a work queue has one of each for a subject: not for the other tests."""
    servers = LocalServers()
    yield servers.urls(ServerName.NATS)["CORTEX_NATS_URL"]
    servers.close()


@pytest.fixture
def platform(
    postgres_url: PostgresUrls,
    own_nats_url: str,
    redis_url: str,
    spicedb: KeyedUrl,
    qdrant_url: KeyedUrl,
    temporal_url: str,
    tmp_path: Path,
) -> dict[str, str]:
    """The environment of a platform whose servers are those of the tests."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("CORTEX_")},
        "CORTEX_DATA": str(tmp_path),
        "CORTEX_DATABASE_URL": postgres_url.service,
        "CORTEX_NATS_URL": own_nats_url,
        "CORTEX_REDIS_URL": redis_url,
        "CORTEX_SPICEDB_URL": spicedb.url,
        "CORTEX_SPICEDB_KEY": spicedb.key,
        "CORTEX_QDRANT_URL": qdrant_url.url,
        "CORTEX_QDRANT_KEY": qdrant_url.key,
        "CORTEX_TEMPORAL_URL": temporal_url,
        "CORTEX_MODELS_DIR": str(built_model().folder.parent),
        "CORTEX_MODELS_URL": f"127.0.0.1:{free_port()}",
        "CORTEX_LLM_GATEWAY_URL": f"127.0.0.1:{free_port()}",
        "CORTEX_CONNECTORS_URL": f"127.0.0.1:{free_port()}",
        "CORTEX_INTERNAL_KEY": KEY,
        "CORTEX_HEALTH_PORT": str(free_port()),
    }


@asynccontextmanager
async def running(service: str, environment: Mapping[str, str], *arguments: str) -> AsyncIterator[None]:
    """Ready in the block; ended by SIGTERM, with 0, after it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"services.{service}", *arguments, env=dict(environment)
    )
    try:
        port = int(environment["CORTEX_HEALTH_PORT"])
        await asyncio.to_thread(eventually, lambda: ready(process, port), within_s=START_S)
        yield
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), timeout=30) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def ready(process: asyncio.subprocess.Process, port: int) -> None:
    assert process.returncode is None, "it ended"
    try:
        status = httpx.get(f"http://127.0.0.1:{port}/readyz").status_code
    except httpx.TransportError as error:
        raise AssertionError("it does not listen yet") from error
    assert status == 200


@pytest.mark.parametrize("service", ["parse", "chunk", "connectors", "rerank", "llm_gateway"])
async def test_it_runs_alone(service: str, platform: dict[str, str]) -> None:
    async with running(service, platform):
        pass


async def test_a_question_is_answered_by_services_that_run_alone(platform: dict[str, str], tmp_path: Path) -> None:
    tenant, asking, administration = f"t-{uuid.uuid4().hex[:12]}", free_port(), free_port()
    tokens = LocalTokens(tmp_path / "token.key", SystemClock())
    token = tokens.mint(LocalClaims(tenant, "ann@acme.example", Role.ADMIN), ttl=timedelta(hours=1))
    services: list[tuple[str, ...]] = [
        ("host", "models"),
        ("host", "upkeep"),
        ("parse",),
        ("chunk",),
        ("connectors",),
        ("llm_gateway",),
        ("control_plane", "--port", str(administration)),
        ("query_gateway", "--port", str(asking)),
    ]
    async with AsyncExitStack() as stack:
        begun = (
            running(service, platform | {"CORTEX_HEALTH_PORT": str(free_port())}, *arguments)
            for service, *arguments in services
        )
        await asyncio.gather(*map(stack.enter_async_context, begun))
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        client = await stack.enter_async_context(httpx.AsyncClient(headers=headers, timeout=30, trust_env=False))
        wrong = {"type": "files", "name": "share", "config": {"path": "/nowhere/at/all"}}
        refused = await client.post(f"http://127.0.0.1:{administration}/admin/v1/sources", json=wrong)
        assert refused.status_code == 422, refused.text
        assert "config" in refused.json()["detail"]
        page = {
            "title": "Annual leave",
            "content": "Everyone at Acme has 31 days of annual leave.",
            "mime": "text/markdown",
            "acl": {"public": "tenant"},
        }
        pushed = await client.put(f"http://127.0.0.1:{administration}/v1/sources/wiki/documents/leave", json=page)
        assert pushed.status_code == 202, pushed.text
        question = {"question": "How many days of annual leave does everyone have?"}
        answer = await answered(client, f"http://127.0.0.1:{asking}/v1/chat", question)
        assert "31 days" in answer["answer"]
        assert answer["citations"][0]["document_id"] == pushed.json()["document_id"]


async def answered(client: httpx.AsyncClient, url: str, question: dict[str, str]) -> Any:
    """Once what was pushed is indexed."""
    async with asyncio.timeout(START_S):
        while True:
            response = await client.post(url, json=question)
            assert response.status_code == 200, response.text
            if not response.json()["abstained"]:
                return response.json()


async def test_embed_answers_what_the_platform_has_signed_and_nothing_else(platform: dict[str, str]) -> None:
    async with running("embed", platform), models_channel(platform["CORTEX_MODELS_URL"]) as channel:
        with pytest.raises(Denied):
            await ModelsClient(channel).encode_query(tenant_id("acme"), "notice period")
        client = ModelsClient(channel, metadata=SignedMetadata(KEY, SystemClock()).sign)
        query = await client.encode_query(tenant_id("acme"), "notice period")
        assert query.model_key == built_model().card.key


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"CORTEX_INTERNAL_KEY": ""}, "set CORTEX_INTERNAL_KEY"),
        ({"CORTEX_MODELS_DIR": "/nowhere"}, "run `cortex models build`"),
    ],
)
async def test_what_is_missing_is_named_without_a_traceback(
    platform: dict[str, str], changes: dict[str, str], message: str
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.embed", env={**platform, **changes}, stderr=asyncio.subprocess.PIPE
    )
    _, errors = await asyncio.wait_for(process.communicate(), timeout=START_S)
    assert process.returncode == 78
    assert message in errors.decode()
    assert b"Traceback" not in errors
