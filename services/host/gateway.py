"""The `gateway` process: the hot path and administration on one port, generation in the same process."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.language import LanguageByScript
from cortex.adapters.models_rpc import ModelsClient, models_channel
from cortex.adapters.postgres.answers import PostgresAnswers
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.qdrant.client import Qdrant, connect
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.adapters.telemetry import OpenTelemetryTracer
from cortex.adapters.temporal import TemporalErasureControl, TemporalReconcileControl, TemporalSyncControl
from cortex.adapters.temporal import connect as connect_temporal
from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.domain.errors import Denied, Invalid, NotFound, Transient
from cortex.domain.vector import COLLECTION_ALIAS
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.http import serving
from cortex.runtime.identity_settings import LOOPBACK, IdentitySettings
from cortex.runtime.lifecycle import every, run_loops
from cortex.runtime.settings import PlatformSettings
from services.connectors.registry import connector_of, connectors
from services.control_plane import compose as control_plane
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.generator import ExtractiveGenerator
from services.query_gateway.http import Ports, create_app
from services.query_gateway.settings import RetrievalSettings, Settings

WARM_EVERY_S = 1.0
CROSS_DOCUMENTS = 50
LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Listening:
    """Local tokens are accepted on loopback and nowhere else."""

    port: int
    identity: IdentitySettings = field(default_factory=IdentitySettings)

    @property
    def names(self) -> frozenset[str]:
        """The hosts that requests may name."""
        public = urlsplit(self.identity.public_url or "").hostname
        return LOOPBACK_NAMES | ({public} if public else set())


class ConnectorTypes:
    """Implements SourceTypes over the connectors."""

    async def check(self, type_: str, config: Mapping[str, object]) -> list[str]:
        """What the source cannot find or open is a mistake in the config, and nothing that the caller may not know."""
        try:
            return await connector_of(connectors(), type_).check(config)
        except (NotFound, Denied) as error:
            raise Invalid(f"config: {error}") from error

    async def secrets(self, type_: str) -> frozenset[str]:
        known = connectors()
        return known[type_].spec.secrets if type_ in known else frozenset()


async def run(platform: PlatformSettings, listening: Listening, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    listening.identity.check()
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=16))
        qdrant = await stack.enter_async_context(connect(url=platform.qdrant_url, key=platform.qdrant_key))
        channel = models_channel(platform.models_url)
        stack.push_async_callback(channel.close)
        temporal = await connect_temporal(platform.temporal_url, namespace="cortex")
        signing = await stack.enter_async_context(
            control_plane.signing(shared, listening.identity, port=listening.port)
        )
        models = ModelsClient(channel, metadata=SignedMetadata(platform.internal_key, shared.clock).sign)
        ports = _ports(shared, signing, qdrant=qdrant, models=models)
        administration = control_plane.routers(
            shared,
            signing,
            work=control_plane.Work(
                TemporalSyncControl(temporal), TemporalErasureControl(temporal), TemporalReconcileControl(temporal)
            ),
            types=ConnectorTypes(),
        )
        retrieval = RetrievalSettings(cross_documents=CROSS_DOCUMENTS if platform.reranker.chosen else 0)
        settings = Settings(allowed_hosts=listening.names, retrieval=retrieval)
        app = create_app(ports, settings, routers=administration)
        async with serving(app, port=listening.port, host=listening.identity.bind):
            ready.set()
            await run_loops([partial(_warming, signing.directory)], stop=stop)


async def _warming(directory: CachedDirectory) -> None:
    """Those who asked lately do not wait for their groups after a membership changed, in whichever process."""

    async def warm() -> bool:
        with suppress(Transient):
            await directory.warm()
        return False

    await every(WARM_EVERY_S, warm)


def _ports(
    shared: Backbone,
    signing: control_plane.Signing,
    *,
    qdrant: Qdrant,
    models: ModelsClient,
) -> Ports:
    return Ports(
        authenticator=signing.authenticator,
        directory=signing.directory,
        models=models,
        terms=Bm25Encoder(ChineseSegmenter(shared.settings.data / "cache")),
        languages=LanguageByScript("en"),
        index=qdrant.reader(COLLECTION_ALIAS),
        documents=PostgresDocuments(shared.database),
        permissions=shared.engine,
        objects=shared.objects,
        answers=PostgresAnswers(shared.database),
        audit=PostgresAuditLog(shared.database, shared.clock),
        generator=ExtractiveGenerator(ComposerSettings()),
        clock=shared.clock,
        registry=CollectorRegistry(),
        probes={
            "postgres": shared.database.ping,
            "nats": shared.bus.ping,
            "redis": shared.groups.ping,
            "spicedb": shared.engine.ping,
            "qdrant": qdrant.ping,
            "models": models.ping,
        },
        tracer=OpenTelemetryTracer(),
        limits=signing.limits,
    )
