"""The `workers` process: connectors, parse, chunk, and the upkeep of permissions and index."""

import asyncio
from contextlib import AsyncExitStack

from cortex.adapters.qdrant.client import connect
from cortex.runtime.backbone import backbone
from cortex.runtime.lifecycle import run_loops
from cortex.runtime.settings import PlatformSettings
from services.chunk import compose as chunk
from services.chunk.settings import ChunkLimits
from services.connectors import compose as connectors
from services.connectors.settings import ConnectorsSettings
from services.host.keeping import every_upkeep
from services.llm_gateway import compose as llm_gateway
from services.parse import compose as parse
from services.parse.settings import ParseSettings


async def run(platform: PlatformSettings, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=12))
        parsing = await stack.enter_async_context(parse.opened(ParseSettings(), shared))
        contexts = None
        if platform.llm_gateway_url is None:
            generator = await stack.enter_async_context(llm_gateway.opened(platform, shared.database))
            contexts = llm_gateway.contextualiser(generator)
        chunking = await stack.enter_async_context(chunk.opened(ChunkLimits(), shared, contexts))
        qdrant = await stack.enter_async_context(connect(url=platform.qdrant_url, key=platform.qdrant_key))
        ports = connectors.opened_ports(shared, qdrant)
        if platform.connectors_url is not None:
            await stack.enter_async_context(connectors.serving_types(shared))

        async def connecting() -> None:
            settings = ConnectorsSettings(temporal_url=platform.temporal_url)
            await connectors.serve(settings, ports, ready=ready, stop=stop)

        await run_loops(
            [parsing, chunking, *every_upkeep(shared), connecting],
            stop=stop,
        )
