"""The local servers for tests: each started at its first use, in a thread of its own, and gone at the end.

A thread, so that a test that blocks its event loop, or a loop that ends, does not touch the servers' supervisor.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from cortex.domain.errors import CortexError
from cortex.runtime.local import PlatformOptions, ServerName, platform

START_TIMEOUT_S = 90.0


@dataclass(frozen=True, slots=True)
class PostgresUrls:
    """`admin` bypasses row-level security: for looking behind the scenes. `service` is what services use."""

    admin: str = field(repr=False)
    service: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyedUrl:
    url: str
    key: str = field(repr=False)


class LocalServers:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="local servers", daemon=True)
        self._thread.start()
        self._folder = tempfile.TemporaryDirectory(prefix="cortex-test-")
        self._stop: list[asyncio.Event] = []
        self._serving: list[Future[None]] = []
        self._urls: dict[ServerName, Mapping[str, str]] = {}

    def urls(self, server: ServerName) -> Mapping[str, str]:
        """The CORTEX_* environment of a platform of this one server."""
        if server not in self._urls:
            started: Future[Mapping[str, str]] = Future()
            stop = asyncio.Event()
            serving = self._serve(server, started=started, stop=stop)
            self._serving.append(asyncio.run_coroutine_threadsafe(serving, self._loop))
            self._stop.append(stop)
            self._urls[server] = started.result(timeout=START_TIMEOUT_S)
        return self._urls[server]

    def close(self) -> None:
        for stop in self._stop:
            self._loop.call_soon_threadsafe(stop.set)
        for serving in self._serving:
            serving.result(timeout=START_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._folder.cleanup()

    async def _serve(self, server: ServerName, *, started: Future[Mapping[str, str]], stop: asyncio.Event) -> None:
        data = Path(self._folder.name) / server
        options = PlatformOptions(data=data, servers=frozenset({server}), roles=frozenset(), disposable=True)
        try:
            async with platform(options) as running:
                started.set_result(running.urls)
                await stop.wait()
        except CortexError as error:
            if started.done():
                raise
            started.set_exception(error)
