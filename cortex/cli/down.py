"""`cortex down`: stop the platform that runs on a data folder."""

import time
from typing import Annotated

import typer

from cortex.adapters.processes import end, is_running, terminate
from cortex.cli.options import DATA_FOLDER, DataOption
from cortex.domain.errors import NotFound, Transient
from cortex.runtime.local import record
from cortex.runtime.local.folder import DataFolder


def down(
    data: DataOption = DATA_FOLDER,
    wait: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for an orderly stop.")] = 60.0,
) -> None:
    """Stop the platform in order, and say how long it took."""
    folder = DataFolder(data.expanduser().absolute())
    running = record.load(folder)
    if running is None or not is_running(running.supervisor):
        leftovers = [process.identity for process in running.processes if process.identity] if running else []
        if ended := end(leftovers, grace_s=10.0):
            typer.echo(f"no supervisor runs on {folder.root}; stopped {len(ended)} processes that it had left")
            return
        raise NotFound(f"no platform runs on {folder.root}")
    began = time.monotonic()
    if not terminate(running.supervisor, wait_s=wait):
        raise Transient(f"pid {running.supervisor.pid} did not stop within {wait:.0f} s; see {folder.logs}")
    left = [process.name for process in running.processes if process.identity and is_running(process.identity)]
    if left:
        raise Transient(f"still running: {', '.join(left)}")
    typer.echo(f"stopped pid {running.supervisor.pid} and its processes in {time.monotonic() - began:.1f} s")
