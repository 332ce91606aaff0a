"""Builds reranking over whatever stores the token vectors."""

import asyncio
from functools import partial

import grpc

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.ports.reranker import Reranker
from cortex.ports.token_vector_store import TokenVectorStore
from cortex.rpc.models.v1 import models_pb2_grpc
from cortex.runtime.backbone import backbone
from cortex.runtime.settings import PlatformSettings
from services.rerank.frequency import TokenWeights
from services.rerank.reranker import LateInteraction
from services.rerank.resident import ResidentTokens
from services.rerank.rpc import RerankRpc, TenantOf
from services.rerank.settings import RerankSettings


def build(settings: RerankSettings, store: TokenVectorStore) -> Reranker:
    resident = ResidentTokens(store, bytes_max=settings.resident_bytes_max, idle_s_max=settings.resident_idle_s_max)
    weights = TokenWeights(store, settings.frequency)
    return LateInteraction(resident, weights, candidates_max=settings.candidates_max)


def register(reranker: Reranker, server: grpc.aio.Server, *, tenant_of: TenantOf) -> None:
    servicer = RerankRpc(reranker, tenant_of=tenant_of)
    models_pb2_grpc.add_RerankServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Reranking as a process of its own."""
    settings = RerankSettings()
    async with backbone(platform) as shared:
        reranker = build(settings, PostgresVectors(shared.database))
        tenant_of = SignedMetadata(platform.internal_key, shared.clock).tenant
        server = GrpcServerSettings(address=settings.address, grace_s=settings.grace_s)
        async with serving(server, [partial(register, reranker, tenant_of=tenant_of)]):
            ready.set()
            await stop.wait()
