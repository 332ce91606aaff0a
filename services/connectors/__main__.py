"""`python -m services.connectors`"""

import asyncio
import os
import sys

from cortex.domain.errors import Invalid
from cortex.runtime.lifecycle import stop_on_signals
from cortex.runtime.settings import PlatformSettings
from services.connectors.compose import run


async def main() -> None:
    platform = PlatformSettings.from_environment(os.environ)
    await run(platform, ready=asyncio.Event(), stop=stop_on_signals())


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Invalid as error:
        sys.exit(f"connectors: {error}")
