"""Builds reranking over whatever stores the token vectors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import grpc

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.adapters.reranking.engines import COHERE, TEI, EngineSettings, HttpCrossEncoder
from cortex.adapters.reranking.local import LocalCrossEncoder
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.ports.reranker import Reranker
from cortex.ports.token_vector_store import TokenVectorStore
from cortex.rpc.models.v1 import models_pb2_grpc
from cortex.runtime.backbone import backbone
from cortex.runtime.reranker_settings import RerankerKind, RerankerSettings
from cortex.runtime.settings import PlatformSettings
from services.rerank.cross import Budgeted
from services.rerank.frequency import TokenWeights
from services.rerank.reranker import LateInteraction
from services.rerank.resident import ResidentTokens
from services.rerank.rpc import RerankRpc, TenantOf
from services.rerank.settings import RerankSettings


def build(settings: RerankSettings, store: TokenVectorStore) -> Reranker:
    resident = ResidentTokens(store, bytes_max=settings.resident_bytes_max, idle_s_max=settings.resident_idle_s_max)
    weights = TokenWeights(store, settings.frequency)
    return LateInteraction(resident, weights, candidates_max=settings.candidates_max, neighbours=settings.neighbours)


@asynccontextmanager
async def cross_encoder(chosen: RerankerSettings, settings: RerankSettings) -> AsyncIterator[Budgeted | None]:
    """The one that is configured, if any; a local model is loaded before this returns."""
    match chosen.kind:
        case RerankerKind.NONE:
            yield None
        case RerankerKind.FOLDER:
            encoder = await asyncio.to_thread(LocalCrossEncoder.opened, Path(chosen.model))
            yield Budgeted(encoder, settings.cross)
        case _:
            shape = TEI if chosen.kind is RerankerKind.TEI else COHERE
            async with HttpCrossEncoder(EngineSettings(chosen.url, chosen.model, chosen.key), shape) as engine:
                yield Budgeted(engine, settings.cross)


def register(
    reranker: Reranker, server: grpc.aio.Server, *, tenant_of: TenantOf, cross: Budgeted | None = None
) -> None:
    servicer = RerankRpc(reranker, cross, tenant_of=tenant_of)
    models_pb2_grpc.add_RerankServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Reranking as a process of its own."""
    settings = RerankSettings()
    async with backbone(platform) as shared, cross_encoder(platform.reranker, settings) as cross:
        reranker = build(settings, PostgresVectors(shared.database))
        tenant_of = SignedMetadata(platform.internal_key, shared.clock).tenant
        server = GrpcServerSettings(address=settings.address, grace_s=settings.grace_s)
        async with serving(server, [partial(register, reranker, tenant_of=tenant_of, cross=cross)]):
            ready.set()
            await stop.wait()
