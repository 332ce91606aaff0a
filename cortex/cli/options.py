"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DATA_FOLDER = Path(".cortex")

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", envvar="CORTEX_DATA", help="The data folder of the platform.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
