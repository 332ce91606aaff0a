"""`cortex eval propose`: drafts questions from ingested documents, and walks a person through them."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cortex.cli.eval.checkout import reach
from cortex.cli.gateway import ADMINISTRATOR, TENANT
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption
from cortex.cli.search import AsOption
from cortex.domain.errors import Invalid


def propose(
    source: Annotated[str | None, typer.Option(metavar="S", help="A source of the running platform.")] = None,
    confirm: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go through its drafts in the terminal; nothing is drafted.")
    ] = None,
    as_: AsOption = ADMINISTRATOR,
    count: Annotated[int, typer.Option(min=1, max=1_000, metavar="N", help="At most so many drafts.")] = 30,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where they go (default: eval/ of the data folder).")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which engine of CORTEX_ENGINES_FILE words them (default: first)."),
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Ask no engine, although there is one.")] = False,
    tenant: Annotated[str, typer.Option(help="Which tenant.")] = TENANT,
    data: DataOption = DATA_FOLDER,
    json_output: JsonOption = False,
) -> None:
    """Draft questions from what a person may open of a source, or confirm drafts: only confirmed ones count.

    A third of them have no answer: a name, number or code was replaced by another document's.
    """
    reach()
    if (source is None) == (confirm is None):
        raise Invalid("name a source to draft from with --source, or a file of drafts with --confirm; one of them")
    console = Console(stderr=True, highlight=False)
    if confirm is not None:
        figures = _confirm(confirm, console)
    else:
        from eval.proposing.command import Request, run

        request = Request(
            source=str(source), asker=as_, data=data, count=count, out=out, engine=engine, rules=rules, tenant=tenant
        )
        figures = run(request, environment=dict(os.environ), observe=lambda line: console.print(line, markup=False))
        console.print(
            f"{figures['drafts']} drafts, {figures['near_misses']} of them without an answer: {figures['file']}\n"
            f"none counts before somebody confirms it: cortex eval propose --confirm {figures['file']}",
            markup=False,
        )
    if json_output:
        typer.echo(json.dumps(figures))


def _confirm(path: Path, console: Console) -> dict[str, object]:
    """Raises Invalid where nobody sits there."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Invalid("--confirm asks a person: run it in a terminal")
    from eval.proposing.confirming import walk

    def ask(prompt: str) -> str:
        typer.echo(prompt, err=True, nl=False)
        return input()

    done = walk(path, ask=ask, show=lambda line: console.print(line, markup=False))
    console.print(f"{done.confirmed} confirmed, {done.refused} refused, {done.waiting} wait", markup=False)
    return {"file": str(path), "confirmed": done.confirmed, "refused": done.refused, "waiting": done.waiting}
