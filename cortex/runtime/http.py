"""An ASGI application served on one port for as long as a block lasts."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from cortex.domain.errors import Transient


class _Server(uvicorn.Server):
    """Signals belong to the process's main, which stops everything in order. `up` is set once it accepts."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: ASGIApp, *, port: int, host: str = "127.0.0.1", grace_s: int = 10) -> AsyncIterator[None]:
    """Accepts in the block; on leaving stops accepting and lets requests finish within the grace."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace_s,
        lifespan="on",
    )
    server = _Server(config)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(_serve(server, port))
        await server.up.wait()
        try:
            yield
        finally:
            server.should_exit = True
            await task  # in order, also when the block failed: a group would cancel it


async def _serve(server: uvicorn.Server, port: int) -> None:
    try:
        await server.serve()
    except SystemExit as error:  # what uvicorn does when it cannot bind
        raise Transient(f"cannot listen on port {port}: is it taken?") from error
