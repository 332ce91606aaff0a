"""The `models` process: embed and rerank around one loaded model."""

import asyncio
from contextlib import AsyncExitStack
from functools import partial

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.adapters.qdrant.client import connect
from cortex.adapters.signed_metadata import SignedMetadata
from cortex.runtime.backbone import backbone
from cortex.runtime.lifecycle import run_loops
from cortex.runtime.settings import PlatformSettings
from services.embed import compose as embed
from services.rerank import compose as rerank
from services.rerank.settings import RerankSettings


async def run(platform: PlatformSettings, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform))
        qdrant = await stack.enter_async_context(connect(url=platform.qdrant_url, key=platform.qdrant_key))
        model = await stack.enter_async_context(embed.opened(embed.settings_of(platform)))
        reranker = rerank.build(RerankSettings(), PostgresVectors(shared.database))
        cross = await stack.enter_async_context(rerank.cross_encoder(platform.reranker, RerankSettings()))
        tenant_of = SignedMetadata(platform.internal_key, shared.clock).tenant
        services = [
            partial(model.register, tenant_of=tenant_of),
            partial(rerank.register, reranker, tenant_of=tenant_of, cross=cross),
        ]
        address = platform.models_url.removeprefix("grpc://")
        await stack.enter_async_context(serving(GrpcServerSettings(address=address), services))
        loops = await embed.indexing(model, shared, qdrant)
        ready.set()
        await run_loops(loops, stop=stop)
