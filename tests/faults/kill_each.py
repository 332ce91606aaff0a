"""`python -m tests.faults.kill_each`: kills every process in turn, with -9, while documents come in.

Meanwhile files are edited, deleted, renamed and added, folders get other readers, and documents are pushed. In the end
the index must equal the source: nothing lost, nothing twice, nothing visible that was deleted or is not the asker's.
"""

import argparse
import asyncio
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.domain.credential import Role
from cortex.runtime.local import PlatformOptions, platform
from eval.local_platform import MODELS
from tests.faults.drive import Drive
from tests.faults.trial import Trial

PROCESSES = ("postgres", "nats", "valkey", "spicedb", "temporal", "qdrant", "gateway", "workers", "models")
CHANGES = 5
SHOWN_MAX = 40


async def kill_each(trial: Trial, victims: Sequence[str], *, documents: int, console: Console) -> list[str]:
    """Returns the differences that are left when all is quiet again."""
    pushing = trial.pushing(trial.source.getrandbits(32))
    with trial.gateway("admin@faults.example", Role.ADMIN) as gateway, pushing.gateway:
        first = await trial.set_up(gateway)
        pusher = asyncio.to_thread(pushing.run)
        async with asyncio.TaskGroup() as tasks:
            pushes = tasks.create_task(pusher)
            try:
                for number, name in enumerate(victims):
                    await trial.kill(name, indexed_min=documents * (number + 1) // (len(victims) + 2))
                    console.print(f"killed {name} at {trial.killed[-1].indexed} indexed documents")
                    trial.drive.change(CHANGES)
                    if number == len(victims) // 2:
                        await trial.sync(gateway)
            finally:
                pushing.stop.set()
            await pushes
        await trial.until_run_ends(gateway, first)
        last = await trial.until_run_ends(gateway, await trial.sync(gateway))
        if last["state"] != "done":
            return [f"the last run failed: {last['error']}"]
        console.print(f"quiet after {await trial.until_quiet():.0f} s more; {pushing.refused} pushes were refused")
    return await trial.differences(pushing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`logs` None: those of the processes are thrown away with the data."""

    documents: int
    victims: Sequence[str]
    port: int
    environment: Mapping[str, str] = field(repr=False)
    logs: Path | None = None


async def run(plan: Plan, source: random.Random, console: Console) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="cortex-faults-") as folder:
        root = Path(folder)
        drive = Drive(root / "company", source)
        drive.fill(plan.documents)
        options = PlatformOptions(data=root / "data", port=plan.port, environment=plan.environment, disposable=True)
        async with platform(options) as running:
            trial = Trial(running, f"http://127.0.0.1:{plan.port}", root / "data", drive, source)
            try:
                return await kill_each(trial, plan.victims, documents=plan.documents, console=console)
            finally:
                console.print(_table(trial))
                if plan.logs is not None:
                    shutil.copytree(root / "data" / "logs", plan.logs, dirs_exist_ok=True)


def _table(trial: Trial) -> Table:
    table = Table("killed", "documents indexed by then", "ready again after", box=None)
    for killed in trial.killed:
        table.add_row(killed.name, str(killed.indexed), f"{killed.ready_again_s:.1f} s")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kill_each", description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--kills", type=int, default=len(PROCESSES), help="how many of the processes (default: all)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--port", type=int, default=18080)
    parser.add_argument("--keep-logs", type=Path, help="where copies of the processes' logs go")
    arguments = parser.parse_args()
    console, began = Console(), time.monotonic()
    console.print(f"seed {arguments.seed}")
    source = random.Random(arguments.seed)
    plan = Plan(
        documents=arguments.documents,
        victims=source.sample(PROCESSES, k=min(arguments.kills, len(PROCESSES))),
        port=arguments.port,
        environment={"CORTEX_MODELS_DIR": str(MODELS), **os.environ},
        logs=arguments.keep_logs,
    )
    differences = asyncio.run(run(plan, source, console))
    for difference in differences[:SHOWN_MAX]:
        console.print(difference, style="red", highlight=False)
    console.print(f"{len(differences)} differences after {time.monotonic() - began:.0f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
