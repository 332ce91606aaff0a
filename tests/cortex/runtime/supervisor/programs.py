"""Small programs to supervise, and a way to wait for what the supervisor reports."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cortex.runtime.supervisor import ProcessState, ProcessStatus

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class FileProbe:
    """Ready when the file is there: lets a test, or the program itself, say when."""

    path: Path

    async def ready(self) -> bool:
        return self.path.exists()


@dataclass(slots=True)
class Witness:
    """Remembers every change of state, and wakes those who wait for one."""

    history: list[tuple[str, ProcessState]] = field(default_factory=list)
    latest: Mapping[str, ProcessStatus] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def observe(self, statuses: tuple[ProcessStatus, ...]) -> None:
        for status in statuses:
            before = self.latest.get(status.name)
            if before is None or before.state is not status.state:
                self.history.append((status.name, status.state))
        self.latest = {status.name: status for status in statuses}
        self._changed.set()

    async def until(self, holds: Callable[[Mapping[str, ProcessStatus]], bool]) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while not holds(self.latest):
                self._changed.clear()
                await self._changed.wait()

    def position(self, name: str, state: ProcessState) -> int:
        return self.history.index((name, state))


def sleeper(flag: Path | None = None) -> tuple[str, ...]:
    """Says that it runs by making a file, then waits for a signal."""
    mark = f"touch '{flag}'; " if flag else ""
    return ("/bin/sh", "-c", f"{mark}exec sleep 600")


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)
