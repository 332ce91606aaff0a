"""`cortex eval answers`: golden questions put to the demo company as their askers, and the answers scored."""

import json
import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cortex.cli.eval.checkout import reach
from cortex.cli.gateway import TENANT
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption


class Suite(StrEnum):
    GOLDEN = "golden"


class Half(StrEnum):
    OPEN = "open"
    SECOND = "second"
    THIRD = "third"
    SEALED = "sealed"


def answers(
    suite: Annotated[Suite, typer.Option(help="Which questions.")] = Suite.GOLDEN,
    half: Annotated[Half, typer.Option(help="Which part of them; the sealed one is for the end.")] = Half.OPEN,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other questions in the same form, one JSON object a line.")
    ] = None,
    data: DataOption = DATA_FOLDER,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the report goes (default: eval/ of the data folder).")
    ] = None,
    port: Annotated[int, typer.Option(help="Of a platform that has to be started.")] = 18082,
    judge: Annotated[
        str | None,
        typer.Option(metavar="ENGINE", help="An engine of CORTEX_ENGINES_FILE that judges beside the marks of code."),
    ] = None,
    tenant: Annotated[str, typer.Option(help="Which tenant of the platform that runs.")] = TENANT,
    json_output: JsonOption = False,
) -> None:
    """Ask golden questions as their askers and score what comes back: found, cited, complete, silent, leaked.

    Uses the demo platform that runs on the data folder, or starts one of its own and throws it away.
    """
    reach()
    from eval.answers.command import Request, run

    request = Request(data=data, half=half.value, questions=questions, out=out, port=port, judge=judge, tenant=tenant)
    figures = run(request, environment=dict(os.environ), console=Console(stderr=True, highlight=False))
    if json_output:
        typer.echo(json.dumps(figures))
