"""`python -m services.control_plane [--port 8081]`"""

import argparse
import asyncio
import os
import sys
from functools import partial

from cortex.runtime.identity_settings import identity_settings
from cortex.runtime.listening import Listening
from cortex.runtime.process import main
from cortex.runtime.settings import PlatformSettings
from services.control_plane.compose import run


async def serve(port: int, platform: PlatformSettings, ready: asyncio.Event, stop: asyncio.Event) -> None:
    await run(platform, Listening(port, identity_settings(os.environ)), ready=ready, stop=stop)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.control_plane")
    parser.add_argument("--port", type=int, default=8081, help="(default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main("control_plane", partial(serve, parse().port), os.environ))
