"""Builds the hot path over the servers that the platform has, and runs it as a process of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

from prometheus_client import CollectorRegistry

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.generation.client import GenerationClient
from cortex.adapters.language import LanguageByScript
from cortex.adapters.models_rpc import ModelsClient, models_channel
from cortex.adapters.postgres.answers import PostgresAnswers
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.conversations import PostgresConversations
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.feedback import PostgresFeedback
from cortex.adapters.postgres.narrowing import PostgresNarrowing
from cortex.adapters.postgres.profiles import PostgresProfiles
from cortex.adapters.postgres.suggestions import PostgresSuggestions
from cortex.adapters.postgres.synonyms import PostgresSynonyms
from cortex.adapters.qdrant.client import connect
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.adapters.telemetry import OpenTelemetryTracer
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.domain.errors import Transient
from cortex.domain.vector import COLLECTION_ALIAS
from cortex.ports.authenticator import Authenticator
from cortex.ports.generator import Generator
from cortex.ports.limits import PrincipalLimits
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.edge.refusals import settling
from cortex.runtime.health import measured
from cortex.runtime.http import serving
from cortex.runtime.lifecycle import Loop, every, run_loops
from cortex.runtime.listening import Listening
from cortex.runtime.settings import PlatformSettings
from cortex.runtime.signing_in import signing_in
from services.query_gateway.health import Probe
from services.query_gateway.http import Ports, create_app
from services.query_gateway.quoting import Quoting
from services.query_gateway.settings import AnswerSettings, RetrievalSettings, Settings

WARM_EVERY_S = 1.0
CROSS_DOCUMENTS = 50
CONNECTIONS_MAX = 16


def settings(platform: PlatformSettings, listening: Listening) -> Settings:
    retrieval = RetrievalSettings(cross_documents=CROSS_DOCUMENTS if platform.reranker.chosen else 0)
    return Settings(
        allowed_hosts=listening.names,
        retrieval=retrieval,
        public_url=listening.url,
        web_folder=listening.web_folder,
    )


@asynccontextmanager
async def opened(
    shared: Backbone,
    *,
    authenticator: Authenticator,
    directory: CachedDirectory,
    limits: PrincipalLimits,
    generator: Generator | None = None,
) -> AsyncIterator[Ports]:
    """`generator` None: that of the process at CORTEX_LLM_GATEWAY_URL."""
    platform = shared.settings
    async with AsyncExitStack() as stack:
        qdrant = await stack.enter_async_context(connect(url=platform.qdrant_url, key=platform.qdrant_key))
        channel = models_channel(platform.models_url)
        stack.push_async_callback(channel.close)
        models = ModelsClient(channel, metadata=SignedMetadata(platform.internal_key, shared.clock).sign)
        probes: dict[str, Probe] = {
            "postgres": shared.database.ping,
            "nats": shared.bus.ping,
            "redis": shared.groups.ping,
            "spicedb": shared.engine.ping,
            "qdrant": qdrant.ping,
            "models": models.ping,
        }
        if generator is None:
            remote = _remote_generator(stack, shared)
            generator, probes["llm_gateway"] = Quoting(remote), remote.ping
        yield Ports(
            authenticator=authenticator,
            directory=directory,
            models=models,
            terms=Bm25Encoder(ChineseSegmenter(platform.data / "cache")),
            languages=LanguageByScript("en"),
            index=qdrant.reader(COLLECTION_ALIAS),
            documents=PostgresDocuments(shared.database),
            permissions=shared.engine,
            objects=shared.objects,
            answers=PostgresAnswers(shared.database),
            conversations=PostgresConversations(shared.database),
            shares=PostgresConversations(shared.database),
            feedback=PostgresFeedback(shared.database),
            suggestions=PostgresSuggestions(shared.database),
            narrowing=PostgresNarrowing(shared.database),
            synonyms=PostgresSynonyms(shared.database, shared.clock),
            profiles=PostgresProfiles(shared.database),
            audit=PostgresAuditLog(shared.database, shared.clock),
            generator=generator,
            clock=shared.clock,
            registry=CollectorRegistry(),
            probes=probes,
            tracer=OpenTelemetryTracer(),
            limits=limits,
        )


def _remote_generator(stack: AsyncExitStack, shared: Backbone) -> GenerationClient:
    channel = models_channel(shared.settings.address_of_llm_gateway())
    stack.push_async_callback(channel.close)
    signed = SignedMetadata(shared.settings.internal_key, shared.clock)
    return GenerationClient(channel, sign=signed.sign, timeout_s=AnswerSettings().generation_timeout_s)


def warming(directory: CachedDirectory) -> Loop:
    """Those who asked lately do not wait for their groups after a membership changed, in whichever process."""

    async def warm() -> bool:
        with suppress(Transient):
            await directory.warm()
        return False

    return partial(every, WARM_EVERY_S, warm)


async def run(platform: PlatformSettings, listening: Listening, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """The hot path alone; administration and the llm_gateway are other processes."""
    listening.identity.check()
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=CONNECTIONS_MAX))
        who = await stack.enter_async_context(signing_in(shared, listening.identity, port=listening.port))
        ports = await stack.enter_async_context(
            opened(shared, authenticator=who.authenticator, directory=who.directory, limits=who.limits)
        )
        app = create_app(ports, settings(platform, listening))
        where = measured(port=platform.metrics_port, host=platform.metrics_bind, registry=ports.registry)
        await stack.enter_async_context(where)
        await stack.enter_async_context(serving(app, port=listening.port, host=listening.identity.bind))
        ready.set()
        await run_loops([warming(who.directory), settling(who.refusals)], stop=stop)
