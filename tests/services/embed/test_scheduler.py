"""Who goes first, what is pushed back, and what cancelling frees. The encoder is a fake that waits for its cue."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cortex.domain.encoding import ModelCard, PassageEncoding, QueryEncoding, StoredTokens
from cortex.domain.errors import Exhausted, Invalid, Transient
from services.embed.scheduler import PASSAGE_NICENESS, Kind, Scheduler, scheduling
from services.embed.settings import SchedulerSettings

CARD = ModelCard("fake", "1", "0" * 64, dimensions=8, tokens_max=16, languages=frozenset({"en"}))


class CuedEncoder:
    """Notes the order in which texts enter the model; each stays there until the test lets it go."""

    def __init__(self) -> None:
        self.model = CARD
        self.entered: list[str] = []
        self._cues = threading.Semaphore(0)
        self._changed = threading.Condition()

    def let_go(self, texts: int) -> None:
        self._cues.release(texts)

    async def until_entered(self, texts: int) -> list[str]:
        def wait() -> list[str]:
            with self._changed:
                assert self._changed.wait_for(lambda: len(self.entered) >= texts, timeout=10)
                return list(self.entered)

        return await asyncio.to_thread(wait)

    def encode_passage(self, text: str) -> PassageEncoding:
        self._enter(text)
        return PassageEncoding(text.encode(), StoredTokens(b"", ()), truncated=False)

    def encode_query(self, text: str) -> QueryEncoding:
        self._enter(text)
        return QueryEncoding(text.encode(), b"", ())

    def _enter(self, text: str) -> None:
        with self._changed:
            self.entered.append(text)
            self._changed.notify_all()
        assert self._cues.acquire(timeout=10)
        if text == "bad":
            raise Invalid("bad text")


@asynccontextmanager
async def at_work(
    encoder: CuedEncoder, *, workers: int = 1, passages_waiting_max: int = 10, queries_waiting_max: int = 3
) -> AsyncIterator[Scheduler]:
    settings = SchedulerSettings(
        workers=workers,
        passages_waiting_max=passages_waiting_max,
        queries_waiting_max=queries_waiting_max,
        retry_after_s=0.25,
    )
    async with scheduling(encoder, settings) as scheduler:
        try:
            yield scheduler
        finally:
            encoder.let_go(1000)


@pytest.fixture
def encoder() -> CuedEncoder:
    return CuedEncoder()


async def test_results_come_in_the_order_of_the_texts(encoder: CuedEncoder) -> None:
    encoder.let_go(5)
    async with at_work(encoder, workers=2) as scheduler:
        encodings = await scheduler.encode_passages(["a", "b", "c", "d", "e"])
    assert [encoding.dense for encoding in encodings] == [b"a", b"b", b"c", b"d", b"e"]


async def test_no_texts_no_results(encoder: CuedEncoder) -> None:
    async with at_work(encoder) as scheduler:
        assert await scheduler.encode_passages([]) == []


async def test_a_question_waits_for_no_passage(encoder: CuedEncoder) -> None:
    async with at_work(encoder) as scheduler, asyncio.TaskGroup() as group:
        group.create_task(scheduler.encode_passages(["p1", "p2", "p3"]))
        await encoder.until_entered(1)
        query = group.create_task(scheduler.encode_query("q"))
        assert await encoder.until_entered(2) == ["p1", "q"]
        encoder.let_go(4)
        assert (await query).dense == b"q"
    assert encoder.entered[2:] == ["p2", "p3"]


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has a priority of its own on Linux alone")
async def test_passages_give_way_to_everything_else() -> None:
    class Niceness(CuedEncoder):
        def _enter(self, text: str) -> None:
            self.entered.append(f"{text} {os.getpriority(os.PRIO_PROCESS, threading.get_native_id())}")

    encoder, own = Niceness(), os.getpriority(os.PRIO_PROCESS, 0)
    async with at_work(encoder) as scheduler:
        await scheduler.encode_query("q")
        await scheduler.encode_passages(["p"])
    assert encoder.entered == [f"q {own}", f"p {PASSAGE_NICENESS}"]


async def test_as_many_texts_are_in_the_model_as_there_are_workers(encoder: CuedEncoder) -> None:
    async with at_work(encoder, workers=2) as scheduler, asyncio.TaskGroup() as group:
        group.create_task(scheduler.encode_passages(["p1", "p2", "p3"]))
        assert sorted(await encoder.until_entered(2)) == ["p1", "p2"]
        assert scheduler.waiting(Kind.PASSAGE) == 1
        encoder.let_go(3)


async def test_a_full_queue_says_when_to_come_back_and_questions_have_a_queue_of_their_own(
    encoder: CuedEncoder,
) -> None:
    async with at_work(encoder, passages_waiting_max=2) as scheduler, asyncio.TaskGroup() as group:
        group.create_task(scheduler.encode_passages(["p1"]))
        await encoder.until_entered(1)
        group.create_task(scheduler.encode_passages(["p2", "p3"]))
        await asyncio.sleep(0)
        with pytest.raises(Transient) as refused:
            await scheduler.encode_passages(["p4"])
        assert refused.value.retry_after_s == 0.25
        queries = [group.create_task(scheduler.encode_query(f"q{n}")) for n in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Transient):
            await scheduler.encode_query("q3")
        encoder.let_go(6)
        assert [encoding.dense for encoding in await asyncio.gather(*queries)] == [b"q0", b"q1", b"q2"]


async def test_a_batch_that_could_never_fit_is_refused_for_good(encoder: CuedEncoder) -> None:
    async with at_work(encoder, passages_waiting_max=2) as scheduler:
        with pytest.raises(Exhausted, match="at most 2"):
            await scheduler.encode_passages(["a", "b", "c"])


async def test_who_leaves_frees_the_place_and_the_text_is_never_encoded(encoder: CuedEncoder) -> None:
    async with at_work(encoder, passages_waiting_max=2) as scheduler, asyncio.TaskGroup() as group:
        group.create_task(scheduler.encode_passages(["p1"]))
        await encoder.until_entered(1)
        leaving = asyncio.ensure_future(scheduler.encode_passages(["gone1", "gone2"]))
        await asyncio.sleep(0)
        assert scheduler.waiting(Kind.PASSAGE) == 2
        leaving.cancel()
        await asyncio.wait({leaving})
        assert leaving.cancelled()
        assert scheduler.waiting(Kind.PASSAGE) == 0
        group.create_task(scheduler.encode_passages(["p2", "p3"]))
        encoder.let_go(3)
    assert encoder.entered == ["p1", "p2", "p3"]


async def test_one_bad_text_fails_its_own_batch_alone_and_withdraws_the_rest_of_it(encoder: CuedEncoder) -> None:
    async with at_work(encoder) as scheduler, asyncio.TaskGroup() as group:
        bad = asyncio.ensure_future(scheduler.encode_passages(["bad", "rest1", "rest2", "rest3"]))
        await encoder.until_entered(1)
        good = group.create_task(scheduler.encode_passages(["good"]))
        await asyncio.sleep(0)
        encoder.let_go(10)
        with pytest.raises(Invalid):
            await bad
        assert [encoding.dense for encoding in await good] == [b"good"]
        assert scheduler.waiting(Kind.PASSAGE) == 0
    # The worker takes its next text before the caller hears of the failure, hence perhaps one.
    assert not {"rest2", "rest3"} & set(encoder.entered)


async def test_closing_refuses_what_waits_and_what_comes(encoder: CuedEncoder) -> None:
    async with at_work(encoder) as scheduler:
        first = asyncio.ensure_future(scheduler.encode_passages(["p1"]))
        await encoder.until_entered(1)
        waiting = asyncio.ensure_future(scheduler.encode_passages(["p2"]))
        await asyncio.sleep(0)
        scheduler.close()
        with pytest.raises(Transient, match="closing"):
            await waiting
        with pytest.raises(Transient, match="closing"):
            await scheduler.encode_query("q")
        encoder.let_go(1)
        assert [encoding.dense for encoding in await first] == [b"p1"]
