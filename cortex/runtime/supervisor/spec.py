"""What the supervisor is told about a process, and what it tells about one. Values only."""

import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Protocol

from cortex.domain.errors import Bug


class ReadyProbe(Protocol):
    """Asks a server whether it can do its work."""

    async def ready(self) -> bool:
        """One try, bounded in time by the probe itself; a refused connection is False, not an error."""
        ...


class ProcessState(StrEnum):
    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    DONE = "done"
    RESTARTING = "restarting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPolicy:
    """Exponential delays up to a cap; a process that stayed ready for `stable_after_s` starts again from the first.

    Before it was ever ready, a process gets `boot_attempts_max` tries; afterwards it is restarted for ever.
    """

    first_delay_s: float = 0.2
    factor: float = 2.0
    delay_s_max: float = 15.0
    stable_after_s: float = 30.0
    boot_attempts_max: int = 3

    def delay_s(self, failures: int) -> float:
        """The wait before the next start, after so many failures in a row (at least one)."""
        exponent = min(failures - 1, 32)
        return min(self.first_delay_s * self.factor**exponent, self.delay_s_max)


@dataclass(frozen=True, slots=True)
class Account:
    """The operating system's ids to run as."""

    user_id: int
    group_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """A long-running program. `prepare` runs before every start and must be repeatable."""

    name: str
    argv: tuple[str, ...]
    probe: ReadyProbe
    environment: Mapping[str, str] = field(default_factory=dict)
    depends_on: frozenset[str] = frozenset()
    port: int | None = None
    folder: Path | None = None
    account: Account | None = None
    prepare: Callable[[], Awaitable[None]] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_grace_s: float = 10.0
    # What the kernel sends when the supervisor itself is gone, so that nothing outlives it.
    orphan_signal: signal.Signals = signal.SIGKILL
    ready_timeout_s: float = 60.0
    restart: RestartPolicy = RestartPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSpec:
    """Work that is done once, between processes: a migration. It raises a CortexError when it cannot."""

    name: str
    run: Callable[[], Awaitable[None]]
    depends_on: frozenset[str] = frozenset()


NodeSpec = ProcessSpec | StepSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStatus:
    """How a process or step stands now. `ready_after_s` is the time from its last start to ready."""

    name: str
    state: ProcessState
    pid: int | None = None
    port: int | None = None
    ready_after_s: float | None = None
    restarts: int = 0
    detail: str = ""


def start_order(nodes: Iterable[NodeSpec]) -> tuple[str, ...]:
    """Names with every dependency before what needs it; refuses doubles, unknown names and cycles."""
    graph: dict[str, frozenset[str]] = {}
    for node in nodes:
        if node.name in graph:
            raise Bug(f"two processes are called {node.name}")
        graph[node.name] = node.depends_on
    for name, needed in graph.items():
        if unknown := needed - graph.keys():
            raise Bug(f"{name} depends on {', '.join(sorted(unknown))}, which nothing provides")
    try:
        return tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise Bug(f"processes wait for each other: {' -> '.join(error.args[1])}") from error
