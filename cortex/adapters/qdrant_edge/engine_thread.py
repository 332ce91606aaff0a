"""The one thread that touches the engine, with a bounded queue before it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

import grpc

from cortex.adapters.qdrant_edge.refusal import Refused, from_engine
from cortex.domain.unexpected import outline

Answer = TypeVar("Answer")
RETRY_AFTER_S = 1

logger = logging.getLogger(__name__)


class EngineThread:
    """Runs work in order. After a panic nothing runs any more: the engine's memory can no longer be trusted.

    Work that is still queued when its caller gives up is dropped; work that has begun is finished.
    """

    def __init__(self, *, queue_max: int, on_panic: Callable[[], None]) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="engine")
        self._queue_max = queue_max
        self._queued = 0
        self._on_panic = on_panic
        self._may_change = asyncio.Event()
        self._may_change.set()
        self.panicked = False

    @asynccontextmanager
    async def changes_held(self) -> AsyncIterator[None]:
        """What `change` is given waits meanwhile; what `run` is given does not."""
        self._may_change.clear()
        try:
            yield
        finally:
            self._may_change.set()
            # Whoever waited is let go before anybody can hold again.
            await asyncio.sleep(0)

    async def change(self, work: Callable[[], Answer]) -> Answer:
        """As `run`, for work that writes into the shards."""
        while not self._may_change.is_set():
            await self._may_change.wait()
        return await self.run(work)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """The answer of `work`, or Refused."""
        if self._queued >= self._queue_max:
            message = f"{self._queued} requests are waiting for the engine"
            raise Refused(grpc.StatusCode.RESOURCE_EXHAUSTED, message, retry_after_s=RETRY_AFTER_S)
        return await self.run_unbounded(work)

    async def run_unbounded(self, work: Callable[[], Answer]) -> Answer:
        """As `run`, however many are waiting: for what must be done in the end, and comes one at a time."""
        loop = asyncio.get_running_loop()
        finished: asyncio.Future[None] = loop.create_future()
        self._queued += 1
        future = self._executor.submit(self._guarded, work)
        future.add_done_callback(lambda done: self._settle(done, loop=loop, finished=finished))
        try:
            await finished
        except asyncio.CancelledError:
            future.cancel()
            raise
        error = future.exception()
        if error is None:
            return future.result()
        if isinstance(error, Exception):
            refused = from_engine(error)
            if refused.code is grpc.StatusCode.INTERNAL:
                logger.error("the engine failed: %s", outline(error))
            raise refused from error
        raise Refused(grpc.StatusCode.INTERNAL, "Service internal error: the engine panicked") from error

    async def close(self) -> None:
        """Wait for what is running and let the thread end."""
        await asyncio.to_thread(self._executor.shutdown, cancel_futures=True)

    def _guarded(self, work: Callable[[], Answer]) -> Answer:
        if self.panicked:
            raise Refused(grpc.StatusCode.UNAVAILABLE, "the engine has stopped after a panic")
        return work()

    def _settle(
        self, done: "Future[Answer]", *, loop: asyncio.AbstractEventLoop, finished: "asyncio.Future[None]"
    ) -> None:
        """Called by the engine's thread, before it takes the next piece of work.

        A panic is a BaseException of the binding that no `except Exception` sees; a future keeps it all the same.
        """
        error = None if done.cancelled() else done.exception()
        panicked = error is not None and not isinstance(error, Exception)
        if panicked:
            self.panicked = True
            logger.critical("the engine panicked: %s", error)
        loop.call_soon_threadsafe(self._wake, finished, panicked)

    def _wake(self, finished: "asyncio.Future[None]", panicked: bool) -> None:
        self._queued -= 1
        if panicked:
            self._on_panic()
        if not finished.done():
            finished.set_result(None)
