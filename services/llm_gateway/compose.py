"""Builds generation, and serves it to other processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from cortex.adapters.clock import SystemClock
from cortex.adapters.egress import EgressPolicy
from cortex.adapters.engines_file import read_engines
from cortex.adapters.generation.server import Served, register
from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.openai_http import OpenAiWriter, engine_client
from cortex.adapters.postgres.calibrations import PostgresCalibrations
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.engines import PlatformEngines, PostgresEngines
from cortex.adapters.postgres.prompt_cache import PostgresPromptCache
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.ports.contextualiser import Contextualiser
from cortex.runtime.settings import PlatformSettings
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.generator import ExtractiveGenerator
from services.llm_gateway.llm.context import EngineContexts
from services.llm_gateway.llm.generator import EnginePorts, RoutedGenerator
from services.llm_gateway.settings import ContextSettings, LlmGatewaySettings

CONNECTIONS_MAX = 8


@asynccontextmanager
async def opened(
    platform: PlatformSettings, database: Database, settings: LlmGatewaySettings | None = None
) -> AsyncIterator[RoutedGenerator]:
    """Engines of the tenant, else of the operator, else the composer."""
    clock, operated = SystemClock(), read_engines(platform.engines_file)
    allowed = platform.egress_allowed
    own_hosts = tuple(engine.spec.host for engine in operated)
    async with AsyncExitStack() as stack:
        tenants = await stack.enter_async_context(engine_client(EgressPolicy.parsed(allowed)))
        operator = await stack.enter_async_context(engine_client(EgressPolicy.parsed((*allowed, *own_hosts))))
        ports = EnginePorts(
            composer=ExtractiveGenerator(ComposerSettings(), PostgresCalibrations(database, clock)),
            writer=OpenAiWriter(tenants, operated=operator),
            ledger=PostgresEngines(
                database, EnvelopeSealer(KeyFile(platform.master_keys)), clock, platform=PlatformEngines(operated)
            ),
            cache=PostgresPromptCache(database, clock),
        )
        yield RoutedGenerator(ports, settings or LlmGatewaySettings())


def contextualiser(generator: RoutedGenerator) -> Contextualiser:
    """With the same engines, under the same budgets."""
    return EngineContexts(generator.ports.writer, generator.ports.ledger, ContextSettings())


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Generation as a process of its own; it answers calls that the platform signed alone."""
    settings = LlmGatewaySettings()
    callers = SignedMetadata(platform.internal_key, SystemClock())
    server = GrpcServerSettings(address=platform.address_of_llm_gateway(), grace_s=settings.grace_s)
    async with AsyncExitStack() as stack:
        database = Database.connect(platform.database_url, connections_max=CONNECTIONS_MAX)
        stack.push_async_callback(database.close)
        generator = await stack.enter_async_context(opened(platform, database, settings))
        served = Served(generator, contextualiser(generator))
        registering = partial(register, served=served, callers=callers, passages_max=settings.passages_max)
        await stack.enter_async_context(serving(server, [registering]))
        ready.set()
        await stop.wait()
