"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from cortex.runtime.local.folder import DATA_FOLDER, option_for

__all__ = ["DATA_FOLDER", "DataOption", "JsonOption", "PortOption", "option_for"]

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", envvar="CORTEX_DATA", help="The data folder of the platform.")
]
PortOption = Annotated[int, typer.Option(min=1, max=65_535, help="Where the gateway serves, on loopback.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
