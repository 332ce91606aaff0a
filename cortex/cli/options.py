"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DATA_FOLDER = Path(".cortex")

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", envvar="CORTEX_DATA", help="The data folder of the platform.")
]
PortOption = Annotated[int, typer.Option(min=1, max=65_535, help="Where the gateway serves, on loopback.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
