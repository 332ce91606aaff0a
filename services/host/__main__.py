"""`python -m services.host gateway|workers|models`: one process of the platform, composed of several services."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Iterator
from functools import partial

from cortex.adapters.telemetry import Telemetry
from cortex.domain.errors import CortexError
from cortex.runtime.identity_settings import identity_settings
from cortex.runtime.lifecycle import stop_on_signals
from cortex.runtime.settings import PlatformSettings

EXIT_CONFIGURATION = 78  # sysexits.h


async def serve(arguments: argparse.Namespace, platform: PlatformSettings) -> None:
    """Imports the one role that runs here, so that no process loads another's libraries."""
    stop, ready = stop_on_signals(), asyncio.Event()
    match arguments.role:
        case "gateway":
            from services.host import gateway

            listening = gateway.Listening(arguments.port, identity_settings(os.environ))
            run = partial(gateway.run, platform, listening)
        case "workers":
            from services.host import workers

            run = partial(workers.run, platform)
        case _:
            from services.host import models

            run = partial(models.run, platform)
    with Telemetry(arguments.role, platform.otlp_url):
        await run(ready=ready, stop=stop)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m services.host", description=__doc__)
    parser.add_argument("role", choices=["gateway", "workers", "models"])
    parser.add_argument("--port", type=int, default=8080, help="of the gateway (default: %(default)s)")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    os.umask(0o077)
    failed = 0
    try:
        asyncio.run(serve(arguments, PlatformSettings.from_environment(os.environ)))
    except* CortexError as group:
        for error in leaves(group):
            logging.getLogger("cortex").error("%s", error)
        failed = EXIT_CONFIGURATION
    return failed


def leaves(group: BaseExceptionGroup[CortexError]) -> Iterator[CortexError]:
    """What was raised, without the task groups that it came through."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from leaves(error)
        else:
            yield error


if __name__ == "__main__":
    sys.exit(main())
