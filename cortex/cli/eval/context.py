"""`cortex eval context`: whether a context that a language model writes for each passage pays on a corpus."""

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cortex.cli.eval.checkout import reach
from cortex.cli.options import DATA_FOLDER, JsonOption


def context(
    source: Annotated[
        str | None, typer.Option("--source", metavar="S", help="A source of the running platform.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="A set in BEIR form, with questions of people.")
    ] = None,
    documents: Annotated[int, typer.Option(min=10, metavar="N", help="At most so many of the source.")] = 200,
    questions: Annotated[int, typer.Option(min=5, metavar="N", help="At most so many.")] = 100,
    platform: Annotated[
        Path, typer.Option(metavar="DIR", envvar="CORTEX_DATA", help="Data folder of the platform, if one runs.")
    ] = DATA_FOLDER,
    json_output: JsonOption = False,
) -> None:
    """Ingest a corpus without and with a context for each passage, ask both the same, and say what it costs and gains.

    Needs an engine in CORTEX_ENGINES_FILE. Nothing of the source itself is changed.
    """
    reach()
    from eval.context.command import Request, run

    console = Console(stderr=True, highlight=False)
    request = Request(source=source, data=data, documents=documents, questions=questions, platform=platform)
    figures = asyncio.run(run(request, environment=dict(os.environ), observe=lambda line: console.print(line)))
    if json_output:
        typer.echo(json.dumps(figures))
        return
    table = Console(highlight=False)
    for name, value in figures.items():
        table.print(f"{name:<24} {value}")
