"""Who may use the model: questions on a thread of their own, passages with what is left; neither queue is endless."""

import asyncio
import enum
import os
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding
from cortex.domain.errors import Exhausted, Transient
from cortex.ports.text_encoder import TextEncoder
from services.embed.settings import SchedulerSettings

Encoded = TypeVar("Encoded")
PASSAGE_NICENESS = 10


class Kind(enum.Enum):
    QUERY = "query"
    PASSAGE = "passage"


@dataclass(slots=True)
class _Job(Generic[Encoded]):
    """One text. `result` is awaited by the caller, who cancels it to withdraw."""

    kind: Kind
    encode: Callable[[], Encoded]
    result: asyncio.Future[Encoded]
    waiting: bool = True


class Scheduler:
    """Implements Embedder over a TextEncoder, on the threads that `scheduling` gives it."""

    def __init__(self, encoder: TextEncoder, settings: SchedulerSettings) -> None:
        self.model: ModelCard = encoder.model
        self._encoder = encoder
        self._settings = settings
        self._queues: dict[Kind, asyncio.Queue[_Job[Any]]] = {kind: asyncio.Queue() for kind in Kind}
        self._waiting: Counter[Kind] = Counter()
        self._closed = False

    def waiting(self, kind: Kind) -> int:
        return self._waiting[kind]

    async def encode_query(self, text: str) -> QueryEncoding:
        (encoding,) = await self._all(Kind.QUERY, [lambda: self._encoder.encode_query(text)])
        return encoding

    async def encode_passages(self, texts: Sequence[str]) -> list[PassageEncoding]:
        return await self._all(Kind.PASSAGE, [self._passage(text) for text in texts])

    def _passage(self, text: str) -> Callable[[], PassageEncoding]:
        return lambda: self._encoder.encode_passage(text)

    async def _all(self, kind: Kind, encodings: Sequence[Callable[[], Encoded]]) -> list[Encoded]:
        """All results in order. When one fails, or the caller is cancelled, the rest is withdrawn."""
        self._admit(kind, len(encodings))
        loop = asyncio.get_running_loop()
        jobs: list[_Job[Encoded]] = [_Job(kind, encode, loop.create_future()) for encode in encodings]
        self._waiting[kind] += len(jobs)
        for job in jobs:
            self._queues[kind].put_nowait(job)
        try:
            return list(await asyncio.gather(*(job.result for job in jobs)))
        finally:
            for job in jobs:
                self._withdraw(job)

    def _admit(self, kind: Kind, texts: int) -> None:
        settings = self._settings
        most = settings.queries_waiting_max if kind is Kind.QUERY else settings.passages_waiting_max
        if self._closed:
            raise Transient("the embed gateway is closing", retry_after_s=settings.retry_after_s)
        if texts > most:
            raise Exhausted(f"{texts} passages at once: at most {most} may wait")
        if self._waiting[kind] + texts > most:
            raise Transient(f"too many {kind.value} texts are waiting", retry_after_s=settings.retry_after_s)

    def _withdraw(self, job: _Job[Encoded]) -> None:
        job.result.cancel()
        self._started(job)

    def _started(self, job: _Job[Encoded]) -> None:
        """Gives the job's place in the queue to another; once."""
        if job.waiting:
            job.waiting = False
            self._waiting[job.kind] -= 1

    async def work(self, kind: Kind, threads: ThreadPoolExecutor) -> None:
        """Takes jobs for ever; one such task for each thread."""
        loop = asyncio.get_running_loop()
        while True:
            job = await self._queues[kind].get()
            self._started(job)
            if job.result.done():
                continue
            outcome = loop.run_in_executor(threads, job.encode)
            await asyncio.wait({outcome})
            if job.result.done():
                continue
            if error := outcome.exception():
                job.result.set_exception(error)
            else:
                job.result.set_result(outcome.result())

    def close(self) -> None:
        """Refuses new texts and those that still wait."""
        self._closed = True
        for queue in self._queues.values():
            while not queue.empty():
                job = queue.get_nowait()
                self._started(job)
                if not job.result.done():
                    job.result.set_exception(Transient("the embed gateway is closing"))


@asynccontextmanager
async def scheduling(encoder: TextEncoder, settings: SchedulerSettings) -> AsyncIterator[Scheduler]:
    """A Scheduler at work. On leaving, texts in the model are finished and dropped, those that wait are refused."""
    with (
        ThreadPoolExecutor(1, thread_name_prefix="questions") as questions,
        ThreadPoolExecutor(settings.workers, thread_name_prefix="passages", initializer=_give_way) as passages,
    ):
        scheduler = Scheduler(encoder, settings)
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(scheduler.work(Kind.QUERY, questions))]
            workers += [group.create_task(scheduler.work(Kind.PASSAGE, passages)) for _ in range(settings.workers)]
            try:
                yield scheduler
            finally:
                scheduler.close()
                for worker in workers:
                    worker.cancel()


def _give_way() -> None:
    """Ingestion takes what questions leave of the processors: theirs run in this process and in all others.

    Linux alone gives a thread a priority of its own.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), PASSAGE_NICENESS)
