"""`python -m services.embed`"""

import asyncio
import os
import signal
import sys

from cortex.domain.errors import Invalid
from services.embed.compose import run
from services.embed.settings import EmbedSettings


async def main() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await run(EmbedSettings.from_environment(os.environ), ready=asyncio.Event(), stop=stop)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Invalid as error:
        sys.exit(f"embed: {error}")
