"""The `gateway` process: the hot path and administration on one port, generation in the same process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cortex.adapters.wrap.cached_directory import CachedDirectory
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.edge.refusals import Refusals, settling
from cortex.runtime.health import measured
from cortex.runtime.http import serving
from cortex.runtime.lifecycle import run_loops
from cortex.runtime.listening import Listening
from cortex.runtime.settings import PlatformSettings
from services.connectors.compose import source_types
from services.control_plane import compose as control_plane
from services.llm_gateway import compose as llm_gateway
from services.query_gateway import compose as query_gateway
from services.query_gateway.http import App, create_app

WEB_FOLDER = Path(__file__).parents[2] / "web" / "dist"


async def run(platform: PlatformSettings, listening: Listening, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    listening.identity.check()
    async with AsyncExitStack() as stack:
        shared = await stack.enter_async_context(backbone(platform, connections_max=query_gateway.CONNECTIONS_MAX))
        work = await control_plane.work(platform)
        served = await stack.enter_async_context(application(shared, listening, work))
        async with serving(served.app, port=listening.port, host=listening.identity.bind):
            ready.set()
            await run_loops([query_gateway.warming(served.directory), settling(served.refusals)], stop=stop)


@dataclass(frozen=True, slots=True)
class Application:
    app: App
    directory: CachedDirectory
    refusals: Refusals


@asynccontextmanager
async def application(shared: Backbone, listening: Listening, work: control_plane.Work) -> AsyncIterator[Application]:
    """Everything that is served. With CORTEX_LLM_GATEWAY_URL, generation is that process's."""
    platform = shared.settings
    async with AsyncExitStack() as stack:
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
        administration = control_plane.routers(shared, who, work=work, types=source_types(shared.settings))
        app = create_app(ports, query_gateway.settings(platform, listening), routers=administration)
        where = measured(port=platform.metrics_port, host=platform.metrics_bind, registry=ports.registry)
        await stack.enter_async_context(where)
        yield Application(app, who.directory, who.refusals)
