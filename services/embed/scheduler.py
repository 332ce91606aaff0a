"""Who may use the model next: questions before passages, and no more waiting than the settings allow."""

import asyncio
import enum
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, TypeVar

from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding
from cortex.domain.errors import Exhausted, Transient
from cortex.ports.text_encoder import TextEncoder
from services.embed.settings import SchedulerSettings

Encoded = TypeVar("Encoded")


class Kind(enum.IntEnum):
    """In order of precedence."""

    QUERY = 0
    PASSAGE = 1


@dataclass(slots=True, order=True)
class _Job(Generic[Encoded]):
    """One text. `result` is awaited by the caller, who cancels it to withdraw."""

    kind: Kind
    sequence: int
    encode: Callable[[], Encoded] = field(compare=False)
    result: asyncio.Future[Encoded] = field(compare=False)
    waiting: bool = field(compare=False, default=True)


class Scheduler:
    """Implements Embedder over a TextEncoder, on the threads that `scheduling` gives it.

    Texts go to the model one by one, so that a question waits for at most the passages that are in the model already.
    """

    def __init__(self, encoder: TextEncoder, settings: SchedulerSettings, threads: ThreadPoolExecutor) -> None:
        self.model: ModelCard = encoder.model
        self._encoder = encoder
        self._settings = settings
        self._threads = threads
        self._queue: asyncio.PriorityQueue[_Job[Any]] = asyncio.PriorityQueue()
        self._sequence = count()
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
        jobs: list[_Job[Encoded]] = [
            _Job(kind, next(self._sequence), encode, loop.create_future()) for encode in encodings
        ]
        self._waiting[kind] += len(jobs)
        for job in jobs:
            self._queue.put_nowait(job)
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
            raise Transient(f"too many {kind.name.lower()} texts are waiting", retry_after_s=settings.retry_after_s)

    def _withdraw(self, job: _Job[Encoded]) -> None:
        job.result.cancel()
        self._started(job)

    def _started(self, job: _Job[Encoded]) -> None:
        """Gives the job's place in the queue to another; once."""
        if job.waiting:
            job.waiting = False
            self._waiting[job.kind] -= 1

    async def work(self) -> None:
        """Takes jobs for ever; one such task for each thread."""
        loop = asyncio.get_running_loop()
        while True:
            job = await self._queue.get()
            self._started(job)
            if job.result.done():
                continue
            outcome = loop.run_in_executor(self._threads, job.encode)
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
        while not self._queue.empty():
            job = self._queue.get_nowait()
            self._started(job)
            if not job.result.done():
                job.result.set_exception(Transient("the embed gateway is closing"))


@asynccontextmanager
async def scheduling(encoder: TextEncoder, settings: SchedulerSettings) -> AsyncIterator[Scheduler]:
    """A Scheduler at work. On leaving, texts in the model are finished and dropped, those that wait are refused."""
    with ThreadPoolExecutor(settings.workers, thread_name_prefix="encode") as threads:
        scheduler = Scheduler(encoder, settings, threads)
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(scheduler.work()) for _ in range(settings.workers)]
            try:
                yield scheduler
            finally:
                scheduler.close()
                for worker in workers:
                    worker.cancel()
