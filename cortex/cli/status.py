"""`cortex status`: what runs on a data folder, and what it uses."""

import json
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from cortex.cli.exits import ExitCode
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.report import PlatformReport, report

_WIDTH_ELSEWHERE = 120  # in a pipe nothing is as narrow as a terminal


def status(data: DataOption = DATA_FOLDER, json_output: JsonOption = False) -> None:
    """Show every process with its port, uptime, restarts and memory.

    Exits with 3 when no platform runs, with 6 when a part of it is down.
    """
    found = report(DataFolder(data.expanduser().absolute()))
    if json_output:
        typer.echo(json.dumps({**asdict(found), "well": found.well}))
    else:
        _print(found)
    if not found.well:
        raise typer.Exit(ExitCode.DEPENDENCY_DOWN)


def _print(found: PlatformReport) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    table = Table("process", "state", "pid", "port", "uptime", "ready after", "restarts", "rss", "pss", box=None)
    for process in found.processes:
        table.add_row(
            process.name,
            f"[{'green' if process.well else 'red'}]{process.state}[/]",
            str(process.pid or ""),
            str(process.port or ""),
            _duration(process.uptime_s),
            "" if process.ready_after_s is None else f"{process.ready_after_s:.2f} s",
            str(process.restarts),
            f"{process.rss_mb:.0f} MB" if process.pid else "",
            f"{process.pss_mb:.0f} MB" if process.pid else "",
        )
    console.print(table)
    console.print(f"{found.pss_mb:.0f} MB in all (proportional), data in {found.data}")
    if found.url:
        console.print(f"serving at {found.url}")


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
