"""A process's loops: all until told to stop, and none without the others."""

import asyncio
import os
import signal

import pytest

from cortex.domain.errors import Transient
from cortex.runtime.lifecycle import every, run_loops, stop_on_signals


class Forever:
    """A loop that tells when it began and how it ended."""

    def __init__(self) -> None:
        self.began, self.ended = asyncio.Event(), False

    async def __call__(self) -> None:
        try:
            self.began.set()
            await asyncio.Event().wait()
        finally:
            self.ended = True


async def test_loops_run_until_they_are_told_to_stop() -> None:
    loops, stop = [Forever(), Forever()], asyncio.Event()
    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        tasks.create_task(run_loops(loops, stop=stop))
        for loop in loops:
            await loop.began.wait()
        stop.set()
    assert [loop.ended for loop in loops] == [True, True]


async def test_a_loop_that_fails_ends_the_others() -> None:
    other = Forever()

    async def failing() -> None:
        await other.began.wait()
        raise Transient("away")

    with pytest.raises(ExceptionGroup) as failed:
        await run_loops([other, failing], stop=asyncio.Event())
    assert [str(error) for error in failed.value.exceptions] == ["away"]
    assert other.ended


async def test_a_step_is_repeated_at_once_while_there_is_more() -> None:
    answers = [True, True, False]
    done = asyncio.Event()

    async def step() -> bool:
        if not answers:
            done.set()
            return False
        return answers.pop(0)

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(every(0.001, step))
        await done.wait()
        running.cancel()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_asks_to_stop(number: signal.Signals) -> None:
    stop = stop_on_signals()
    try:
        os.kill(os.getpid(), number)
        async with asyncio.timeout(10):
            await stop.wait()
    finally:
        for each in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(each)
