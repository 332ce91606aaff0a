"""Builds parsing: the pool of children and the consumer of content events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cortex.adapters.event_wire import on_content
from cortex.adapters.postgres.privacy import PostgresPrivacy
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.domain.pipeline import VERSION
from cortex.ports.event_bus import Subscription
from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.lifecycle import Loop, run_loops
from cortex.runtime.settings import PlatformSettings
from services.parse.consume import ParseStage
from services.parse.pool import ParserPool
from services.parse.screening import Screening
from services.parse.settings import ParseSettings


def subscription(settings: ParseSettings) -> Subscription:
    """Twice as many at once as children parse, so that one is read while another is parsed."""
    return Subscription(
        name="parse",
        subjects=("cortex.content.*.UPSERT",),
        concurrency=settings.pool.processes * 2,
        acknowledge_wait_s=30.0,
        deliveries_max=20,
    )


@asynccontextmanager
async def opened(settings: ParseSettings, shared: Backbone) -> AsyncIterator[Loop]:
    async with ParserPool(settings) as pool:
        revisions = PostgresRevisions(shared.database)
        screening = Screening(PostgresPrivacy(shared.database, shared.clock), shared.redactor, shared.languages)
        stage = ParseStage(
            revisions, shared.objects, pool, shared.stages, screening=screening, pipeline_version=VERSION
        )

        async def consume() -> None:
            await shared.bus.consume(subscription(settings), on_content(stage.handle))

        yield consume


async def run(platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    """Parsing as a process of its own."""
    async with backbone(platform) as shared, opened(ParseSettings(), shared) as consume:
        ready.set()
        await run_loops([consume], stop=stop)
