"""The `upkeep` process: every loop of upkeep and nothing else, beside services that run alone."""

import asyncio

from cortex.runtime.backbone import Backbone, backbone
from cortex.runtime.lifecycle import Loop, run_loops
from cortex.runtime.settings import PlatformSettings
from services.host.permission_upkeep import permission_upkeep
from services.host.privacy_upkeep import privacy_upkeep
from services.host.upkeep import upkeep


def every_upkeep(shared: Backbone) -> list[Loop]:
    return [*upkeep(shared), *privacy_upkeep(shared), *permission_upkeep(shared)]


async def run(platform: PlatformSettings, *, ready: asyncio.Event, stop: asyncio.Event) -> None:
    async with backbone(platform) as shared:
        ready.set()
        await run_loops(every_upkeep(shared), stop=stop)
