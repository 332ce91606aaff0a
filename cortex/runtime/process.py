"""The main of every process: the environment read once, logs on stderr, traces, and errors as one line each."""

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry

from cortex.adapters.telemetry import Telemetry
from cortex.domain.errors import CortexError
from cortex.runtime.health import probes
from cortex.runtime.lifecycle import stop_on_signals
from cortex.runtime.settings import PlatformSettings

EXIT_CONFIGURATION = 78  # sysexits.h

Serve = Callable[[PlatformSettings, asyncio.Event, asyncio.Event], Awaitable[None]]
"""Takes the settings, an event to set when ready, and one to stop at."""


def main(name: str, serve: Serve, environment: Mapping[str, str]) -> int:
    """Runs until SIGTERM or SIGINT; the exit status says whether it could."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    os.umask(0o077)
    failed = 0
    try:
        asyncio.run(_serve(name, serve, PlatformSettings.from_environment(environment)))
    except* CortexError as group:
        for error in leaves(group):
            logging.getLogger("cortex").error("%s", error)
        failed = EXIT_CONFIGURATION
    return failed


async def _serve(name: str, serve: Serve, platform: PlatformSettings) -> None:
    ready, stop = asyncio.Event(), stop_on_signals()
    with Telemetry(name, platform.otlp_url):
        async with probes(
            port=platform.health_port,
            is_ready=lambda: ready.is_set() and not stop.is_set(),
            registry=CollectorRegistry(),
        ):
            await serve(platform, ready, stop)


def leaves(group: BaseExceptionGroup[CortexError]) -> Iterator[CortexError]:
    """What was raised, without the task groups that it came through."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from leaves(error)
        else:
            yield error
