"""Shows what is starting: a live table on a terminal, a line for every change elsewhere. Always on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table

from cortex.adapters.processes import resident_bytes_of
from cortex.runtime.supervisor import ProcessState, ProcessStatus

_REDRAWS_PER_S = 4
_STYLES = {
    ProcessState.READY: "green",
    ProcessState.DONE: "green",
    ProcessState.STARTING: "yellow",
    ProcessState.RESTARTING: "yellow",
    ProcessState.STOPPING: "yellow",
    ProcessState.FAILED: "red",
}


class Board:
    """Give `observe` to the platform's hooks, and keep `shown` open meanwhile."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._statuses: tuple[ProcessStatus, ...] = ()

    @contextmanager
    def shown(self) -> Iterator[None]:
        if not self._console.is_terminal:
            yield
            return
        with Live(get_renderable=self._table, console=self._console, refresh_per_second=_REDRAWS_PER_S):
            yield

    def observe(self, statuses: tuple[ProcessStatus, ...]) -> None:
        before = {status.name: status.state for status in self._statuses}
        self._statuses = statuses
        if self._console.is_terminal:
            return
        for status in statuses:
            if status.state is not before.get(status.name, ProcessState.WAITING):
                self._console.print(line_of(status), highlight=False, markup=False, soft_wrap=True)

    def _table(self) -> Table:
        table = Table("process", "state", "pid", "port", "ready after", "memory", "", box=None, pad_edge=False)
        for status in self._statuses:
            memory = f"{resident_bytes_of(status.pid) / 1e6:.0f} MB" if status.pid else ""
            table.add_row(
                status.name,
                f"[{_STYLES.get(status.state, 'dim')}]{status.state}[/]",
                str(status.pid or ""),
                str(status.port or ""),
                _seconds(status.ready_after_s),
                memory,
                _remark(status),
            )
        return table


def line_of(status: ProcessStatus) -> str:
    """One change, for logs and pipes."""
    parts = [f"{status.name:<10} {status.state}"]
    if status.ready_after_s is not None and status.state in (ProcessState.READY, ProcessState.DONE):
        parts.append(f"after {_seconds(status.ready_after_s)}")
    if status.pid is not None and status.state is ProcessState.READY:
        parts.append(f"pid {status.pid}" + (f" port {status.port}" if status.port else ""))
    if remark := _remark(status):
        parts.append(f"({remark})")
    return " ".join(parts)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


def _remark(status: ProcessStatus) -> str:
    restarts = f"restarts {status.restarts}" if status.restarts else ""
    first_line = status.detail.partition("\n")[0]
    return ", ".join(part for part in (first_line, restarts) if part)
