"""The process from the lock on its directory to the last flush."""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from cortex.adapters.qdrant_edge import rpc
from cortex.adapters.qdrant_edge.engine_thread import EngineThread
from cortex.adapters.qdrant_edge.graphs import GraphBuilder, GraphSettings
from cortex.adapters.qdrant_edge.probes import probes
from cortex.adapters.qdrant_edge.refusal import Refused
from cortex.adapters.qdrant_edge.store import Store, lock_directory

logger = logging.getLogger(__name__)


class CannotServe(Exception):
    """The server did not start, or must stop; the message says what to do."""


class EnginePanicked(CannotServe):
    """The engine's memory can no longer be trusted: the process must end without touching it again."""


@dataclass(frozen=True, slots=True)
class Settings:
    data: Path
    port: int
    http_port: int
    key: str
    host: str = "127.0.0.1"
    queue_max: int = 256
    flush_interval_s: float = 5.0
    grace_s: float = 5.0
    graphs: GraphSettings = field(default_factory=GraphSettings)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where it listens: of use where a port was given as 0."""

    grpc: str
    http: str


async def run(settings: Settings, *, ready: Callable[[Addresses], None], stop: asyncio.Event) -> None:
    """Serve until `stop`. Raises DirectoryInUse, ManifestDamaged or CannotServe."""
    lock = lock_directory(settings.data)
    engine = EngineThread(queue_max=settings.queue_max, on_panic=stop.set)
    store = Store(settings.data)
    is_serving = False
    try:
        async with probes(host=settings.host, port=settings.http_port, is_ready=lambda: is_serving) as http_port:
            await _load(engine, store)
            made = rpc.server(engine=engine, store=store, key=settings.key)
            health = await rpc.add_health(made)
            port = _bind(made, settings)
            await made.start()
            is_serving = True
            ready(Addresses(grpc=f"{settings.host}:{port}", http=f"{settings.host}:{http_port}"))
            async with asyncio.TaskGroup() as tasks:
                building = tasks.create_task(GraphBuilder(engine=engine, store=store, settings=settings.graphs).run())
                await _flush_until(stop, engine=engine, store=store, interval_s=settings.flush_interval_s)
                building.cancel()
            is_serving = False
            await health.enter_graceful_shutdown()
            await made.stop(0 if engine.panicked else settings.grace_s)
            if engine.panicked:
                raise EnginePanicked("the engine panicked; a restart replays the log")
            await engine.run(store.close)
    finally:
        await engine.close()
        os.close(lock)


async def _load(engine: EngineThread, store: Store) -> None:
    try:
        await engine.run(store.load)
    except Refused as error:
        message = (
            f"the collection named last above cannot be opened: {error}. The index is derived: move its folder away, "
            "start again and rebuild it from the documents"
        )
        raise (EnginePanicked if engine.panicked else CannotServe)(message) from error


def _bind(made: grpc.aio.Server, settings: Settings) -> int:
    try:
        return int(made.add_insecure_port(f"{settings.host}:{settings.port}"))
    except RuntimeError as error:
        raise CannotServe(f"port {settings.port} of {settings.host} cannot be bound: {error}") from error


async def _flush_until(stop: asyncio.Event, *, engine: EngineThread, store: Store, interval_s: float) -> None:
    """Keep the log that a restart replays short. A flush that fails is tried again: the log still has everything."""
    while True:
        try:
            async with asyncio.timeout(interval_s):
                await stop.wait()
            return
        except TimeoutError:
            pass
        try:
            await engine.change(store.flush)
        except Refused as error:
            logger.warning("flush put off: %s", error)
