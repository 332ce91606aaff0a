"""How a running platform stands: the record, checked against the operating system."""

import time
from dataclasses import dataclass

from cortex.adapters.processes import ProcessIdentity, is_running, memory_of
from cortex.domain.errors import NotFound
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder, option_for
from cortex.runtime.local.options import Role
from cortex.runtime.local.record import ProcessRecord, RuntimeRecord
from cortex.runtime.supervisor import ProcessState


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReport:
    """Memory counts the descendants too."""

    name: str
    state: str
    pid: int | None
    port: int | None
    uptime_s: float | None
    ready_after_s: float | None
    restarts: int
    rss_mb: float
    pss_mb: float
    detail: str

    @property
    def well(self) -> bool:
        return self.state in (ProcessState.READY, ProcessState.DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformReport:
    data: str
    url: str | None
    pid: int
    boot_s: float | None
    processes: tuple[ProcessReport, ...]
    pss_mb: float

    @property
    def well(self) -> bool:
        return all(process.well for process in self.processes)


def report(folder: DataFolder) -> PlatformReport:
    """NotFound when no platform runs on the folder."""
    found = record.load(folder)
    if found is None or not is_running(found.supervisor):
        raise NotFound(f"no platform runs on {folder.root}; `cortex up{option_for(folder.root)}` starts one")
    processes = (_supervisor(found), *(_process(entry) for entry in found.processes))
    gateway = found.ports.get(Role.GATEWAY) if any(entry.name == Role.GATEWAY for entry in found.processes) else None
    return PlatformReport(
        data=str(folder.root),
        url=f"http://127.0.0.1:{gateway}" if gateway else None,
        pid=found.supervisor.pid,
        boot_s=found.boot_s,
        processes=processes,
        pss_mb=round(sum(process.pss_mb for process in processes), 1),
    )


def _supervisor(found: RuntimeRecord) -> ProcessReport:
    own = ProcessRecord(name="supervisor", state=ProcessState.READY, identity=found.supervisor)
    return _process(own, alone=True)


def _process(entry: ProcessRecord, *, alone: bool = False) -> ProcessReport:
    identity: ProcessIdentity | None = entry.identity
    runs = identity is not None and is_running(identity)
    state = str(entry.state)
    if identity is not None and not runs:
        state = "gone"
    memory = memory_of(identity.pid, descendants=not alone) if identity is not None and runs else None
    return ProcessReport(
        name=entry.name,
        state=state,
        pid=identity.pid if identity is not None else None,
        port=entry.port,
        uptime_s=round(time.time() - identity.started_at, 1) if identity is not None and runs else None,
        ready_after_s=round(entry.ready_after_s, 3) if entry.ready_after_s is not None else None,
        restarts=entry.restarts,
        rss_mb=round(memory.resident_bytes / 1e6, 1) if memory else 0.0,
        pss_mb=round(memory.proportional_bytes / 1e6, 1) if memory else 0.0,
        detail=entry.detail,
    )
