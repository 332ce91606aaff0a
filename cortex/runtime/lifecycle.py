"""How a process lives: its loops run until a signal, then end within a grace."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence

Loop = Callable[[], Awaitable[None]]
"""Runs until it is cancelled."""


def stop_on_signals() -> asyncio.Event:
    """Set by SIGTERM and SIGINT. For the main of a process alone."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def run_loops(loops: Sequence[Loop], *, stop: asyncio.Event) -> None:
    """Runs the loops until `stop`; one that fails ends all of them, and its error is raised."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_awaited(loop)) for loop in loops]
        await stop.wait()
        for task in running:
            task.cancel()


async def _awaited(loop: Loop) -> None:
    await loop()


async def every(wait_s: float, step: Callable[[], Awaitable[bool]]) -> None:
    """Runs `step` for ever: again at once while it says that there is more, else after `wait_s`."""
    while True:
        if not await step():
            await asyncio.sleep(wait_s)
