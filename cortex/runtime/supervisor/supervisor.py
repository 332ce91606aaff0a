"""Keeps the graph: starts a node when what it needs is ready, stops it when nothing that needs it is left."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from cortex.runtime.supervisor.keeper import ProcessKeeper, StepKeeper
from cortex.runtime.supervisor.log import RotatingLog
from cortex.runtime.supervisor.spec import NodeSpec, ProcessSpec, ProcessState, ProcessStatus, start_order

Observer = Callable[[tuple[ProcessStatus, ...]], None]


class Supervisor:
    """See `supervise`. A process that dies is restarted; those that depend on it are left alone to reconnect."""

    def __init__(self, nodes: Sequence[NodeSpec], *, logs: Path, observe: Observer) -> None:
        self._order = start_order(nodes)
        self._observe = observe
        self._settled = asyncio.Event()
        self._keepers: dict[str, ProcessKeeper | StepKeeper] = {}
        self._stopped: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        for node in nodes:
            if isinstance(node, ProcessSpec):
                log = RotatingLog(logs / f"{node.name}.log")
                self._keepers[node.name] = ProcessKeeper(node, log=log, changed=self._changed)
            else:
                self._keepers[node.name] = StepKeeper(node, changed=self._changed)
            self._stopped[node.name] = asyncio.Event()

    def status(self) -> tuple[ProcessStatus, ...]:
        """Every node, in the order of starting."""
        return tuple(self._keepers[name].status() for name in self._order)

    async def ready(self) -> None:
        """Waits until everything is ready; raises why a node gave up, with the end of its log."""
        await self._settled.wait()
        for keeper in self._keepers.values():
            if keeper.failure is not None:
                raise keeper.failure

    def launch(self, group: asyncio.TaskGroup) -> None:
        for name in self._order:
            self._tasks[name] = group.create_task(self._run(name), name=f"keep {name}")
        self._changed()

    async def stop(self) -> None:
        """In reverse order, as wide as the graph allows. When it is cancelled, everything left is killed at once."""
        try:
            async with asyncio.TaskGroup() as group:
                for name in self._order:
                    group.create_task(self._stop_after_dependants(name))
        finally:
            for name, task in self._tasks.items():
                if not self._keepers[name].kill():
                    task.cancel()

    async def _run(self, name: str) -> None:
        keeper = self._keepers[name]
        for needed in keeper.spec.depends_on:
            await self._keepers[needed].ready.wait()
        await keeper.run()

    async def _stop_after_dependants(self, name: str) -> None:
        for other, keeper in self._keepers.items():
            if name in keeper.spec.depends_on:
                await self._stopped[other].wait()
        keeper, task = self._keepers[name], self._tasks[name]
        await keeper.stop()
        if keeper.status().state is not ProcessState.STOPPING:
            task.cancel()  # it waits for a dependency, prepares, or sits in a backoff
        await asyncio.wait([task])
        self._stopped[name].set()

    def _changed(self) -> None:
        keepers = self._keepers.values()
        if any(k.failure for k in keepers) or all(k.ready.is_set() for k in keepers):
            self._settled.set()
        if len(self._tasks) == len(self._order):  # not while they are being made
            self._observe(self.status())


@asynccontextmanager
async def supervise(nodes: Sequence[NodeSpec], *, logs: Path, observe: Observer) -> AsyncIterator[Supervisor]:
    """Starts the graph, and leaves no process behind however the block ends.

    Does not wait: call `ready`. `observe` is called at every change, in the event loop, and must be quick.
    """
    supervisor = Supervisor(nodes, logs=logs, observe=observe)
    group = asyncio.TaskGroup()
    await group.__aenter__()
    # Not `async with group`: it would wrap an error of the caller's block in a group.
    try:
        supervisor.launch(group)
        yield supervisor
    finally:
        try:
            await supervisor.stop()
        finally:
            await group.__aexit__(None, None, None)
