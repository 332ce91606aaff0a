"""The `gateway` process: the hot path and administration on one port, generation in the same process."""

import asyncio
from contextlib import AsyncExitStack

from cortex.runtime.backbone import backbone
from cortex.runtime.http import serving
from cortex.runtime.lifecycle import run_loops
from cortex.runtime.listening import Listening
from cortex.runtime.settings import PlatformSettings
from services.connectors.types import ConnectorTypes
from services.control_plane import compose as control_plane
from services.llm_gateway import compose as llm_gateway
from services.query_gateway import compose as query_gateway
from services.query_gateway.http import create_app


async def run(platform: PlatformSettings, listening: Listening, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """With CORTEX_LLM_GATEWAY_URL, generation is that process's."""
    listening.identity.check()
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=query_gateway.CONNECTIONS_MAX))
        who = await stack.enter_async_context(control_plane.signing(shared, listening.identity, port=listening.port))
        generator = None
        if platform.llm_gateway_url is None:
            generator = await stack.enter_async_context(llm_gateway.opened(platform, shared.database))
        ports = await stack.enter_async_context(
            query_gateway.opened(
                shared,
                authenticator=who.authenticator,
                directory=who.directory,
                limits=who.limits,
                generator=generator,
            )
        )
        administration = control_plane.routers(
            shared, who, work=await control_plane.work(platform), types=ConnectorTypes()
        )
        app = create_app(ports, query_gateway.settings(platform, listening), routers=administration)
        async with serving(app, port=listening.port, host=listening.identity.bind):
            ready.set()
            await run_loops([query_gateway.warming(who.directory)], stop=stop)
