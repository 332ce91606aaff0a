"""What the operating system knows about processes (psutil): who they are, what they use, and their end."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

# Two readings of one process's start may differ by a clock tick.
_START_TOLERANCE_S = 0.05
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process id means little by itself, since ids are reused; with the time of its start it is one process."""

    pid: int
    started_at: float


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """Resident bytes, and the proportional share: pages that several processes map are counted once in all."""

    resident_bytes: int
    proportional_bytes: int


def identify(pid: int) -> ProcessIdentity | None:
    """None when no such process runs; one that has ended and was not waited for counts as gone."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return ProcessIdentity(pid, process.create_time())
    except psutil.NoSuchProcess:
        return None


def is_running(identity: ProcessIdentity) -> bool:
    found = identify(identity.pid)
    return found is not None and abs(found.started_at - identity.started_at) < _START_TOLERANCE_S


def memory_of(pid: int, *, descendants: bool) -> ProcessMemory:
    """Of the process, with or without all its descendants; those that end meanwhile count nothing."""
    resident = proportional = 0
    try:
        root = psutil.Process(pid)
        family = [root, *(root.children(recursive=True) if descendants else ())]
    except psutil.NoSuchProcess:
        return ProcessMemory(0, 0)
    for process in family:
        try:
            memory = process.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        resident += memory.rss
        proportional += getattr(memory, "pss", memory.rss)  # macOS has no proportional figure
    return ProcessMemory(resident, proportional)


def resident_bytes_of(pid: int) -> int:
    """Of the process alone, cheap enough for a board that is redrawn all the time."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def end(identities: Iterable[ProcessIdentity], *, grace_s: float) -> list[ProcessIdentity]:
    """Asks those that still run, with their descendants, to end; kills what is left after the grace. Gives them."""
    running = [identity for identity in identities if is_running(identity)]
    family: list[psutil.Process] = []
    for identity in running:
        try:
            process = psutil.Process(identity.pid)
            family += [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
    for process in family:
        _signal(process, kill=False)
    _, left = psutil.wait_procs(family, timeout=grace_s)
    for process in left:
        _signal(process, kill=True)
    psutil.wait_procs(left, timeout=grace_s)
    return running


def terminate(identity: ProcessIdentity, *, wait_s: float) -> bool:
    """Sends SIGTERM and waits; True when the process is gone in time."""
    if is_running(identity):
        _signal(psutil.Process(identity.pid), kill=False)
    return wait_until_gone(identity, timeout_s=wait_s)


def wait_until_gone(identity: ProcessIdentity, *, timeout_s: float) -> bool:
    """Of any process, not only of a child; False when it still runs."""
    deadline = time.monotonic() + timeout_s
    while is_running(identity) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return not is_running(identity)


def listener_on(port: int) -> str | None:
    """Who listens on a TCP port, as `name (pid N)`; None when nobody does, or when this user may not know."""
    try:
        connections = psutil.net_connections(kind="tcp")
    except psutil.AccessDenied:
        return None
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port:
            if connection.pid is None:
                return "another user's process"
            try:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
            except psutil.NoSuchProcess:
                return None
    return None


def _signal(process: psutil.Process, *, kill: bool) -> None:
    try:
        if kill:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        return
