"""`cortex eval retrieval`: a set in BEIR form through the real pipeline, and its measures."""

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cortex.cli.options import DATA_FOLDER, JsonOption
from cortex.domain.errors import NotFound


def retrieval(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="corpus.jsonl, queries.jsonl and qrels.tsv.")],
    mode: Annotated[str, typer.Option(help="hybrid, dense, lexical, rrf or dbsf.")] = "hybrid",
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N questions.")] = None,
    platform: Annotated[
        Path, typer.Option(metavar="DIR", envvar="CORTEX_DATA", help="Data folder of the platform, if one runs.")
    ] = DATA_FOLDER,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep a report with plots and every question's results here.")
    ] = None,
    json_output: JsonOption = False,
) -> None:
    """Push a set, search as a person, and measure against its judgements.

    Starts a platform of its own when none runs, and throws it away. Every set is pushed into a new tenant.
    """
    console = Console(stderr=True, highlight=False)
    try:
        from eval.retrieval.command import run
    except ModuleNotFoundError as error:
        raise NotFound(
            f"{error.name}: not installed; `make setup` in a checkout of Cortex brings what measures"
        ) from error
    figures = asyncio.run(
        run(
            data,
            mode=mode,
            limit=limit,
            platform=platform,
            out=out,
            environment=dict(os.environ),
            observe=lambda line: console.print(line),
        )
    )
    if json_output:
        typer.echo(json.dumps(figures))
        return
    table = Console(highlight=False)
    for name, value in figures.items():
        if isinstance(value, int | float):
            table.print(f"{name:<12} {value:>10}")
