"""`cortex eval calibrate`: fits to a tenant's own questions how sure an answer must be."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cortex.cli.eval.checkout import reach
from cortex.cli.gateway import TENANT
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption


def calibrate(
    questions: Annotated[
        Path, typer.Option(metavar="FILE", help="Questions with or without key facts, one JSON object a line.")
    ],
    coverage: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="The share of answerable questions that is to be answered.")
    ] = 0.95,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the fit and keep nothing.")] = False,
    tenant: Annotated[str, typer.Option(help="Which tenant.")] = TENANT,
    data: DataOption = DATA_FOLDER,
    json_output: JsonOption = False,
) -> None:
    """Ask the platform that runs on the data folder, fit its confidence to what can be answered, and keep the fit."""
    reach()
    from eval.answers.calibrate import Request, run

    console = Console(stderr=True, highlight=False)
    request = Request(data=data, questions=questions, coverage=coverage, keep=not dry_run, tenant=tenant)
    figures = run(request, console=console)
    console.print(
        f"answers {figures['answered']:.2f} of what can be answered, refuses {figures['refused']:.2f} of the rest"
    )
    if json_output:
        typer.echo(json.dumps(figures))
