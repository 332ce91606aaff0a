"""The command itself: one platform, one load, all questions, then serving until Ctrl-C."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from cortex.cli.ask import why_not
from cortex.cli.demo.asking import Answered, ask_all
from cortex.cli.demo.company import DemoCompany, load
from cortex.cli.demo.loading import counts, load_company
from cortex.cli.exits import ExitCode
from cortex.cli.gateway import TENANT, Gateway
from cortex.cli.options import DATA_FOLDER, DataOption, JsonOption, PortOption
from cortex.cli.source import progress
from cortex.cli.up import serve
from cortex.domain.credential import Role
from cortex.runtime.local import PlatformOptions
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.options import GATEWAY_PORT
from cortex.runtime.local.platform import RunningPlatform
from cortex.runtime.local.report import report


def demo(
    data: DataOption = DATA_FOLDER,
    port: PortOption = GATEWAY_PORT,
    once: Annotated[bool, typer.Option("--once", help="Stop after the questions.")] = False,
    json_output: JsonOption = False,
) -> None:
    """Start the platform, load the demo company and ask its questions as different people; then keep serving."""
    options = PlatformOptions(data=data, port=port, environment=dict(os.environ))
    console, company = Console(stderr=True, highlight=False), load()

    async def use(running: RunningPlatform) -> bool:
        console.print(f"ready after {running.boot_s:.1f} s")
        found, answers = await asyncio.to_thread(_show, company, data, console)
        if json_output:
            typer.echo(json.dumps({"boot_s": round(running.boot_s, 2), **found}))
        if not once:
            console.print(f"serving at http://127.0.0.1:{port}; Ctrl-C stops it")
            await running.until_stopped()
        return all(not answered.problems for answered in answers)

    if asyncio.run(serve(options, console, use)) is False:
        raise typer.Exit(ExitCode.UNEXPECTED)


def _show(company: DemoCompany, data: Path, console: Console) -> tuple[dict[str, object], list[Answered]]:
    began = time.monotonic()
    with Gateway.at(data, role=Role.ADMIN) as gateway, progress(console) as bar:
        load_company(gateway, company, bar=bar)
        documents, chunks = counts(gateway, company)
    ingest_s = time.monotonic() - began
    console.print(f"{company.name}: {documents} documents, {chunks} chunks in {ingest_s:.1f} s")
    answers = []
    for answered in ask_all(company, data=data, tenant=TENANT):
        answers.append(answered)
        _print(console, company, answered)
    memory = report(DataFolder(data.expanduser().absolute())).pss_mb
    right = sum(not answered.problems for answered in answers)
    console.print(f"{right} of {len(answers)} answers as expected; {memory:.0f} MB in all")
    found: dict[str, object] = {
        "ingest_s": round(ingest_s, 2),
        "documents": documents,
        "chunks": chunks,
        "pss_mb": memory,
        "questions": [answered.report() for answered in answers],
    }
    return found, answers


def _print(console: Console, company: DemoCompany, answered: Answered) -> None:
    person = company.person(answered.question.asker)
    console.print()
    console.print(Text(answered.question.question, style="bold"))
    console.print(Text(f"asked by {person.name}, {person.title}", style="dim"))
    if answered.abstained:
        console.print(Text(f"No answer: {why_not(answered.reason)}", style="yellow"))
    else:
        console.print(Text(answered.answer))
    for citation in answered.citations:
        console.print(Text(f"[{citation['n']}] {citation['title']}  {citation['url']}", style="dim"))
    for problem in answered.problems:
        console.print(Text(f"not as expected: {problem}", style="red"))
