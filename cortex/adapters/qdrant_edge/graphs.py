"""When a collection gets graphs, and the steps to them. The engine itself builds nothing unless it is told to.

A search looks at every point outside the graphs. Once there are many, the shard is copied, a child process builds the
graphs of the copy, and the copy takes the shard's place. Questions wait for none of it but the opening of the copy;
writes wait while files are copied, and while the last writes are caught up with.
"""

import asyncio
import logging
import os
import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial

from cortex.adapters.qdrant_edge import rebuild
from cortex.adapters.qdrant_edge.build import EXIT_BUILT, EXIT_UNCHANGED
from cortex.adapters.qdrant_edge.engine_thread import EngineThread
from cortex.adapters.qdrant_edge.rebuild import Abandoned, Rebuild
from cortex.adapters.qdrant_edge.refusal import Refused
from cortex.adapters.qdrant_edge.store import Store

# Of the copy, the graphs beside it and room to spare.
DISK_FACTOR = 3
LAST_BYTES_MAX = 1024 * 1024

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """Graphs are built when `points_min` points are outside them, and `share_min` of all; never with 0."""

    points_min: int = 10_000
    share_min: float = 0.1
    interval_s: float = 10.0
    retry_s: float = 600.0
    timeout_s: float = 3600.0
    replay_slice_s: float = 0.05
    write_stall_s: float = 0.8


class GraphBuilder:
    """One collection at a time. What fails is logged, and tried again later; the shard serves on as it was."""

    def __init__(self, *, engine: EngineThread, store: Store, settings: GraphSettings) -> None:
        self._engine = engine
        self._store = store
        self._settings = settings
        self._not_before: dict[str, float] = {}
        self._points_min: dict[str, int] = {}

    async def run(self) -> None:
        while self._settings.points_min:
            await asyncio.sleep(self._settings.interval_s)
            for name in await self._engine.run_unbounded(self._store.names):
                if time.monotonic() >= self._not_before.get(name, 0.0):
                    await self._attend(name)

    async def _attend(self, name: str) -> None:
        try:
            outside = await self._engine.run_unbounded(partial(self._due, name))
            if outside and not await self._build(name):
                logger.info("graphs of %s: the engine saw nothing to build in %d points", name, outside)
                self._points_min[name] = 2 * outside
        except (Abandoned, Refused, OSError, TimeoutError) as error:
            logger.warning("no graphs for %s this time: %s", name, error)
            self._not_before[name] = time.monotonic() + self._settings.retry_s

    def _due(self, name: str) -> int:
        """Points outside the graphs, if they are many enough; else 0."""
        if self._store.entry(name) is None:
            return 0
        outside = self._store.points_outside_graphs(name)
        if outside < self._points_min.get(name, self._settings.points_min):
            return 0
        points = self._store.collection(name).shard.info().points_count
        return outside if outside >= self._settings.share_min * points else 0

    async def _build(self, name: str) -> bool:
        """Whether there was something to build."""
        began = time.monotonic()
        logger.info("graphs of %s: copying", name)
        async with self._engine.changes_held():
            begun = await self._engine.run_unbounded(partial(rebuild.begin, self._store, name))
            try:
                await asyncio.to_thread(_copy, begun)
            except OSError:
                await self._end(begun)
                raise
        try:
            logger.info("graphs of %s: copied, writes waited for %.2f s", name, time.monotonic() - began)
            if not await self._child(begun):
                return False
            await self._swap(begun)
            logger.info("graphs of %s: swapped after %.0f s", name, time.monotonic() - began)
            return True
        finally:
            await self._end(begun)

    async def _child(self, begun: Rebuild) -> bool:
        command = (sys.executable, "-m", "cortex.adapters.qdrant_edge.build", str(begun.target), str(os.getpid()))
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
        logger.info("graphs of %s: building in process %d", begun.collection.name, process.pid)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                await process.communicate(begun.entry.create)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode not in {EXIT_BUILT, EXIT_UNCHANGED}:
            raise Abandoned(f"its process ended with {process.returncode}")
        return process.returncode == EXIT_BUILT

    async def _swap(self, begun: Rebuild) -> None:
        """Catch up in turns with the writes, faster than they come; then shut them out for what is left."""
        name = begun.collection.name
        logger.info("graphs of %s: opening", name)
        await self._engine.run_unbounded(begun.open)
        logger.info("graphs of %s: catching up with %d bytes", name, begun.log.bytes_left)
        while begun.log.bytes_left > LAST_BYTES_MAX:
            async with self._engine.changes_held():
                await self._catch_up(begun, self._settings.write_stall_s)
        await self._engine.run_unbounded(begun.flush)
        async with self._engine.changes_held():
            await self._catch_up(begun, self._settings.timeout_s)
            await self._engine.run_unbounded(begun.adopt)

    async def _catch_up(self, begun: Rebuild, budget_s: float) -> None:
        """In slices, so that questions come in between. Writes have had their turn before, and will have it again."""
        until = time.monotonic() + budget_s
        while time.monotonic() < until:
            if await self._engine.run_unbounded(partial(begun.replay, self._settings.replay_slice_s)):
                return

    async def _end(self, begun: Rebuild) -> None:
        if self._engine.panicked:
            return  # the next start removes what no collection refers to
        await self._engine.run_unbounded(begun.close)
        await asyncio.to_thread(shutil.rmtree, begun.left_over, ignore_errors=True)


def _copy(begun: Rebuild) -> None:
    """Raises OSError where the disk is too small or fails."""
    size = sum(path.stat().st_size for path in begun.source.rglob("*") if path.is_file())
    free = shutil.disk_usage(begun.source).free
    if free < DISK_FACTOR * size:
        raise OSError(f"{free} bytes are free, and {DISK_FACTOR * size} are needed")
    begun.copy()
