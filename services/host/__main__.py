"""`python -m services.host gateway|workers|models|upkeep`: one process of the platform, composed of several parts."""

import argparse
import asyncio
import os
import sys
from functools import partial
from pathlib import Path

from cortex.runtime.identity_settings import identity_settings
from cortex.runtime.listening import Listening
from cortex.runtime.process import main
from cortex.runtime.settings import PlatformSettings


async def serve(
    arguments: argparse.Namespace, platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event
) -> None:
    """Imports the one role that runs here, so that no process loads another's libraries."""
    match arguments.role:
        case "gateway":
            from services.host import gateway

            web_folder = Path(os.environ.get("CORTEX_WEB_DIR") or gateway.WEB_FOLDER)
            listening = Listening(arguments.port, identity_settings(os.environ), web_folder)
            await gateway.run(platform, listening, ready=ready, stop=stop)
        case "workers":
            from services.host import workers

            await workers.run(platform, ready=ready, stop=stop)
        case "upkeep":
            from services.host import keeping

            await keeping.run(platform, ready=ready, stop=stop)
        case _:
            from services.host import models

            await models.run(platform, ready=ready, stop=stop)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.host", description=__doc__)
    parser.add_argument("role", choices=["gateway", "workers", "models", "upkeep"])
    parser.add_argument("--port", type=int, default=8080, help="of the gateway (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    chosen = parse()
    sys.exit(main(chosen.role, partial(serve, chosen), os.environ))
