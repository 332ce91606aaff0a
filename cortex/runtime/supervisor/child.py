"""One run of one program: in its own session, output to its log, gone when the supervisor is gone."""

import asyncio
import ctypes
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

from cortex.domain.errors import Transient
from cortex.runtime.supervisor.log import RotatingLog, drain
from cortex.runtime.supervisor.spec import Account, ProcessSpec

_PR_SET_PDEATHSIG = 1
_OWNER_ONLY = 0o077


class Child:
    """A running process and the group that it leads."""

    def __init__(self, process: Process, output: Thread) -> None:
        self._process = process
        self._output = output

    @classmethod
    async def spawn(cls, spec: ProcessSpec, log: RotatingLog) -> "Child":
        """Starts it. A program that is missing or may not run is Transient, with the reason."""
        reading, writing = os.pipe()
        output = drain(reading, log)
        try:
            process = await _start(
                spec.argv,
                environment=dict(spec.environment),
                folder=spec.folder,
                account=spec.account,
                stdin=DEVNULL,
                output=writing,
                orphan_signal=spec.orphan_signal,
            )
        except OSError as error:
            raise Transient(f"{spec.name} cannot be started: {error}") from error
        finally:
            os.close(writing)
        return cls(process, output)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    async def exited(self) -> str:
        """Waits for the end, removes what is left of its group, and says how it ended."""
        code = await self._process.wait()
        self.kill()
        await asyncio.to_thread(self._output.join, 1.0)
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"

    async def stop(self, stop_signal: signal.Signals, *, grace_s: float) -> None:
        """Asks, waits for the grace, then kills the group."""
        self._signal_group(stop_signal)
        try:
            async with asyncio.timeout(grace_s):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()

    def kill(self) -> None:
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return  # nothing of the group is left
        except PermissionError:
            return  # macOS says this of a group that holds only zombies


async def run_tool(
    argv: Sequence[str],
    *,
    folder: Path,
    account: Account | None = None,
    environment: Mapping[str, str] | None = None,
    send: bytes = b"",
    timeout_s: float = 60.0,
) -> str:
    """Runs a short program to its end and gives its output; a failure is Transient with the last lines of it."""
    variables = {"PATH": os.defpath, "LC_ALL": "C", **(environment or {})}
    try:
        process = await _start(argv, environment=variables, folder=folder, account=account, stdin=PIPE, output=PIPE)
    except OSError as error:
        raise Transient(f"{Path(argv[0]).name} cannot be started: {error}") from error
    try:
        async with asyncio.timeout(timeout_s):
            output, _ = await process.communicate(send)
    except TimeoutError as error:
        raise Transient(f"{Path(argv[0]).name} did not end within {timeout_s:.0f} s") from error
    finally:
        if process.returncode is None:
            process.kill()
    text = output.decode("utf-8", errors="replace")
    if process.returncode != 0:
        reason = " / ".join(text.strip().splitlines()[-4:])
        raise Transient(f"{Path(argv[0]).name} failed with {process.returncode}: {reason}")
    return text


async def _start(
    argv: Sequence[str],
    *,
    environment: dict[str, str],
    folder: Path | None,
    account: Account | None,
    stdin: int,
    output: int,
    orphan_signal: signal.Signals = signal.SIGKILL,
) -> Process:
    return await asyncio.create_subprocess_exec(
        *argv,
        stdin=stdin,
        stdout=output,
        stderr=STDOUT,
        env=environment,
        cwd=folder,
        umask=_OWNER_ONLY,
        # A session of its own: Ctrl-C in the terminal reaches the supervisor alone, which then stops in order.
        start_new_session=True,
        user=account.user_id if account else None,
        group=account.group_id if account else None,
        extra_groups=[] if account else None,
        preexec_fn=_die_with_parent(orphan_signal),
    )


def _die_with_parent(orphan_signal: signal.Signals) -> Callable[[], None] | None:
    """Between fork and exec: have the kernel signal the child when its parent dies. Linux alone can."""
    if sys.platform != "linux":
        return None
    control = ctypes.CDLL(None).prctl  # loaded here: after the fork only async-signal-safe work is allowed
    parent = os.getpid()

    def arm() -> None:
        control(_PR_SET_PDEATHSIG, int(orphan_signal))
        if os.getppid() != parent:  # it died before the kernel knew
            os._exit(1)

    return arm
