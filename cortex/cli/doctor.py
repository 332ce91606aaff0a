"""`cortex doctor`: what is wrong, and what to do."""

import json
import os
from dataclasses import asdict

import typer
from rich.console import Console
from rich.text import Text

from cortex.cli.exits import ExitCode
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption, PortOption
from cortex.runtime.local.doctor import Finding, Level, examine
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.options import GATEWAY_PORT

_STYLES = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "red"}


def doctor(
    data: DataOption = DATA_FOLDER,
    port: PortOption = GATEWAY_PORT,
    json_output: JsonOption = False,
) -> None:
    """Check the machine, the installed servers and the data folder.

    Exits with 6 when something would keep the platform from running.
    """
    folder = DataFolder(data.expanduser().absolute())
    findings = examine(folder, environment=dict(os.environ), port=port)
    well = all(finding.level is not Level.FAIL for finding in findings)
    if json_output:
        typer.echo(json.dumps({"well": well, "findings": [asdict(finding) for finding in findings]}))
    else:
        console = Console(highlight=False)
        for finding in findings:
            console.print(_line(finding), soft_wrap=True)
    if not well:
        raise typer.Exit(ExitCode.DEPENDENCY_DOWN)


def _line(finding: Finding) -> Text:
    line = Text.assemble((f"{finding.level:<5}", _STYLES[finding.level]), f"{finding.check:<10} {finding.message}")
    if finding.mend:
        line.append(f"\n     -> {finding.mend}", style="bold")
    return line
