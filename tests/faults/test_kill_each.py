"""A small ingest during which two processes are killed; `python -m tests.faults.kill_each` is the whole of it."""

import os
import random

from rich.console import Console

from cortex.runtime.local.ports import is_free
from tests.built_model import built_model
from tests.faults.kill_each import Plan, run

PROCESSES_OF_THE_PATH = ("nats", "postgres", "qdrant", "workers", "models")
PORTS = range(19_080, 19_980)


async def test_an_ingest_survives_the_death_of_two_processes() -> None:
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    source = random.Random(seed)
    plan = Plan(
        documents=40,
        victims=source.sample(PROCESSES_OF_THE_PATH, k=2),
        port=next(port for port in random.SystemRandom().sample(PORTS, k=len(PORTS)) if is_free(port)),
        environment={**os.environ, "CORTEX_MODELS_DIR": str(built_model().folder.parent)},
    )
    assert await run(plan, source, Console()) == []
