"""Keeps one program running: start, wait until ready, wait for its end, start again with backoff."""

import asyncio
import time
from collections.abc import Callable

from cortex.domain.errors import CortexError, Transient
from cortex.runtime.supervisor.child import Child
from cortex.runtime.supervisor.log import RotatingLog
from cortex.runtime.supervisor.spec import ProcessSpec, ProcessState, ProcessStatus, StepSpec

_PROBE_PAUSE_S = 0.02
_PROBE_PAUSE_S_MAX = 0.25
_TAIL_LINES = 12


class ProcessKeeper:
    """One process of the graph. `run` returns when it was stopped, or gave up before it was ever ready."""

    def __init__(self, spec: ProcessSpec, *, log: RotatingLog, changed: Callable[[], None]) -> None:
        self.spec = spec
        self.ready = asyncio.Event()
        self.failure: CortexError | None = None
        self._log = log
        self._changed = changed
        self._child: Child | None = None
        self._stopping = asyncio.Event()
        self._state = ProcessState.WAITING
        self._ready_after_s: float | None = None
        self._restarts = 0
        self._detail = ""

    def status(self) -> ProcessStatus:
        return ProcessStatus(
            name=self.spec.name,
            state=self._state,
            pid=self._child.pid if self._child else None,
            port=self.spec.port,
            ready_after_s=self._ready_after_s,
            restarts=self._restarts,
            detail=self._detail,
        )

    async def run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            ready_s = await self._live_once()
            if self._stopping.is_set():
                break
            failures = 1 if ready_s > self.spec.restart.stable_after_s else failures + 1
            if not self.ready.is_set() and failures >= self.spec.restart.boot_attempts_max:
                self._give_up()
                return
            self._restarts += 1
            self._become(ProcessState.RESTARTING, self._detail)
            await self._pause(self.spec.restart.delay_s(failures))
        self._become(ProcessState.STOPPED)

    async def stop(self) -> None:
        """Stops it and starts it no more. Returns when the process and its group are gone."""
        self._stopping.set()
        if (child := self._child) is not None:
            self._become(ProcessState.STOPPING)
            await child.stop(self.spec.stop_signal, grace_s=self.spec.stop_grace_s)

    def kill(self) -> bool:
        """Kills it at once; `run` then returns when it is gone. False when there is nothing to kill."""
        self._stopping.set()
        if self._child is None:
            return False
        self._child.kill()
        return True

    async def _live_once(self) -> float:
        """One life of the process; gives the seconds for which it was ready."""
        began = time.monotonic()
        self._become(ProcessState.STARTING)
        try:
            if self.spec.prepare is not None:
                await self.spec.prepare()
            child = self._child = await Child.spawn(self.spec, self._log)
        except CortexError as error:
            self._detail = str(error)
            return 0.0
        try:
            self._changed()
            became_ready = await self._await_ready(child)
            ready_at = time.monotonic()
            if became_ready:
                self._ready_after_s = ready_at - began
                self.ready.set()
                self._become(ProcessState.READY)
            elif child.running:
                self._detail = f"not ready within {self.spec.ready_timeout_s:.0f} s"
                await child.stop(self.spec.stop_signal, grace_s=self.spec.stop_grace_s)
            ending = await child.exited()
        finally:
            child.kill()
            self._child = None
        self._detail = self._detail or ending
        return time.monotonic() - ready_at if became_ready else 0.0

    async def _await_ready(self, child: Child) -> bool:
        pause_s = _PROBE_PAUSE_S
        deadline = time.monotonic() + self.spec.ready_timeout_s
        while child.running and not self._stopping.is_set() and time.monotonic() < deadline:
            # The child must still run afterwards: what answered may be a stranger on its port.
            if await self.spec.probe.ready() and child.running:
                return True
            await self._pause(pause_s)
            pause_s = min(pause_s * 1.5, _PROBE_PAUSE_S_MAX)
        return False

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    def _give_up(self) -> None:
        tail = "\n".join(f"  {line}" for line in self._log.tail(lines=_TAIL_LINES))
        self.failure = Transient(f"{self.spec.name} does not start: {self._detail}" + (f"\n{tail}" if tail else ""))
        self._become(ProcessState.FAILED, self._detail)

    def _become(self, state: ProcessState, detail: str = "") -> None:
        self._state = state
        self._detail = detail
        self._changed()


class StepKeeper:
    """One step of the graph: runs once, is ready when it is done."""

    def __init__(self, spec: StepSpec, *, changed: Callable[[], None]) -> None:
        self.spec = spec
        self.ready = asyncio.Event()
        self.failure: CortexError | None = None
        self._changed = changed
        self._status = ProcessStatus(name=spec.name, state=ProcessState.WAITING)

    def status(self) -> ProcessStatus:
        return self._status

    async def run(self) -> None:
        began = time.monotonic()
        self._become(ProcessStatus(name=self.spec.name, state=ProcessState.STARTING))
        try:
            await self.spec.run()
        except CortexError as error:
            self.failure = error
            self._become(ProcessStatus(name=self.spec.name, state=ProcessState.FAILED, detail=str(error)))
            return
        self.ready.set()
        took_s = time.monotonic() - began
        self._become(ProcessStatus(name=self.spec.name, state=ProcessState.DONE, ready_after_s=took_s))

    async def stop(self) -> None:
        """Nothing to stop: the supervisor cancels a step that still runs."""

    def kill(self) -> bool:
        """There is nothing to kill."""
        return False

    def _become(self, status: ProcessStatus) -> None:
        self._status = status
        self._changed()
