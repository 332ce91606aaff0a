"""The whole path of a language model, with a real one: gateway, llm_gateway as a process, an engine over HTTP."""

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import httpx
import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.generation.client import GenerationClient
from cortex.adapters.models_rpc import models_channel
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.engines import PostgresEngines
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.domain.answer import Passage, Sentence
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.engine_store import SpentTokens
from cortex.ports.generator import Ending, GenerationRequest
from services.query_gateway.grounding import Grounding
from tests.e2e.waiting import eventually
from tests.live_engine import MODEL_NAME, installed
from tests.local_servers import PostgresUrls
from tests.services.llm_gateway.extractive.passages import passage
from tests.services.test_processes import free_port, running

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(not installed(), reason="no engine: `make engine` installs one, and runs this"),
]

KEY = "an internal key of this test"
QUESTION = "How many days of annual leave does everyone at Acme have?"
LEAVE = passage("Everyone at Acme has 31 days of annual leave.", title="Annual leave")
LONG = passage(*[f"Rule {n}: room {n} of the harbour is cleaned on day {n}." for n in range(1, 15)], title="Rules")
LOADED_WITHIN_S, FREED_WITHIN_S = 120.0, 90.0


class Engine:
    """A process of its own, that can be killed."""

    def __init__(self, port: int, process: asyncio.subprocess.Process) -> None:
        self.port = port
        self.process = process

    def busy(self) -> bool:
        slots = httpx.get(f"http://127.0.0.1:{self.port}/slots", trust_env=False, timeout=30).json()
        return any(slot["is_processing"] for slot in slots)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)


@asynccontextmanager
async def small_model() -> AsyncIterator[Engine]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.live_engine", str(port)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(eventually, lambda: loaded(process, port), within_s=LOADED_WITHIN_S)
        yield Engine(port, process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def loaded(process: asyncio.subprocess.Process, port: int) -> None:
    if process.returncode is not None:
        raise RuntimeError("the engine ended: `python -m tests.live_engine PORT` says why")
    try:
        status = httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code
    except httpx.TransportError as error:
        raise AssertionError("it does not listen yet") from error
    assert status == 200


class Asking:
    """A gateway's side of the llm_gateway's process, and the accounts."""

    def __init__(self, client: GenerationClient, engines: PostgresEngines, tenant: TenantId) -> None:
        self.client = client
        self.engines = engines
        self.tenant = tenant

    def ask(self, question: str, passages: list[Passage]) -> GenerationRequest:
        return GenerationRequest(self.tenant, PersonId(uuid.UUID(int=1)), question, passages)

    async def answer(self, question: str, passages: list[Passage]) -> tuple[list[Sentence], Ending]:
        parts = [part async for part in self.client.generate(self.ask(question, passages))]
        ending = parts[-1]
        assert isinstance(ending, Ending)
        grounding = Grounding(passages)
        said = [part for part in parts if isinstance(part, Sentence) and grounding.supported(part)]
        return said, ending

    async def spent(self) -> list[SpentTokens]:
        return await self.engines.spent(self.tenant, since=SystemClock().now().date())


@asynccontextmanager
async def llm_gateway(engine: Engine, database_url: str, folder: Path) -> AsyncIterator[Asking]:
    """The process, told of the engine as an operator would."""
    spec = {"name": "small", "url": f"http://127.0.0.1:{engine.port}/v1", "model": MODEL_NAME, "first_token_s_max": 120}
    (folder / "engines.json").write_text(json.dumps({"engines": [spec]}), encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    unused = dict.fromkeys(("NATS_URL", "REDIS_URL", "SPICEDB_URL", "SPICEDB_KEY", "TEMPORAL_URL"), "unused")
    unused |= {"QDRANT_URL": "unused", "MODELS_URL": "unused"}
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CORTEX_")},
        **{f"CORTEX_{name}": value for name, value in unused.items()},
        "CORTEX_DATA": str(folder),
        "CORTEX_DATABASE_URL": database_url,
        "CORTEX_LLM_GATEWAY_URL": address,
        "CORTEX_ENGINES_FILE": str(folder / "engines.json"),
        "CORTEX_INTERNAL_KEY": KEY,
        "CORTEX_HEALTH_PORT": str(free_port()),
    }
    database = Database.connect(database_url, connections_max=2)
    tenant = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")
    engines = PostgresEngines(database, EnvelopeSealer(KeyFile(folder / "master.json")), SystemClock())
    try:
        async with running("llm_gateway", environment), models_channel(address) as channel:
            client = GenerationClient(channel, sign=SignedMetadata(KEY, SystemClock()).sign, timeout_s=170)
            yield Asking(client, engines, tenant)
    finally:
        await database.close()


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with small_model() as found:
        yield found


@pytest.fixture
async def asking(engine: Engine, postgres_url: PostgresUrls, tmp_path: Path) -> AsyncIterator[Asking]:
    async with llm_gateway(engine, postgres_url.service, tmp_path) as found:
        yield found


async def test_it_answers_and_what_is_shown_is_held_to_the_passages(asking: Asking) -> None:
    said, ending = await asking.answer(QUESTION, [LEAVE])
    assert "31 days" in " ".join(sentence.text for sentence in said)
    (spent,) = await asking.spent()
    assert (spent.engine, spent.answers) == ("small", 1)
    assert spent.usage.prompt_tokens > 100
    assert spent.usage.completion_tokens > 0
    assert ending.degraded in ((), ("llm_unsupported",))
    if not ending.degraded:
        again, cached = await asking.answer(QUESTION, [LEAVE])
        assert (again, cached.usage.prompt_tokens) == (said, 0)


async def test_whoever_leaves_frees_the_engine(asking: Asking, engine: Engine) -> None:
    request = asking.ask("List every rule of the harbour, one by one, with all details.", [LONG])
    async with aclosing(asking.client.generate(request)) as parts, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(_first(parts))
        await asyncio.to_thread(eventually, lambda: busy(engine, True))
        first.cancel()
    await asyncio.to_thread(eventually, lambda: busy(engine, False), within_s=FREED_WITHIN_S)
    async with asyncio.timeout(30):
        while not await asking.spent():
            continue


async def _first(parts: AsyncGenerator[Sentence | Ending, None]) -> Sentence | Ending:
    return await anext(parts)


def busy(engine: Engine, expected: bool) -> None:
    assert engine.busy() is expected


async def test_an_engine_that_is_killed_midway_leaves_the_composer(asking: Asking, engine: Engine) -> None:
    async with asyncio.TaskGroup() as tasks:
        answering = tasks.create_task(asking.answer(QUESTION, [LEAVE, LONG]))
        await asyncio.to_thread(eventually, lambda: busy(engine, True))
        engine.kill()
    said, ending = answering.result()
    assert "31 days" in " ".join(sentence.text for sentence in said)
    assert ending.degraded == ("llm",)
    said, ending = await asking.answer(QUESTION, [LEAVE])
    assert (len(said), ending.degraded) == (1, ("llm",))
