"""Whether the time of an answer tells what one may not see: hidden against what never was, one after the other.

    python -m eval.bench telltale [--documents 200] [--tries 300] [--seed 1] [--json]

Starts a platform of its own with as many documents for everybody as for somebody else alone. The asker opens ids, of
hidden documents and of none, and types beginnings of words, of hidden titles and of no title, in random order. Prints
both medians, their ratio, and how likely a difference like theirs is among times of one kind (eval/two_samples.py): a
small `p` with a ratio far from 1 tells. On a busy machine neither is worth anything.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.cli.gateway import TENANT, Gateway
from cortex.domain.credential import Role
from cortex.domain.errors import NotFound
from cortex.domain.identity import document_id, source_id, tenant_id
from eval.bench.whole import ingest
from eval.local_platform import LocalPlatform, started
from eval.two_samples import p_value

OPEN, CLOSED = "open", "closed"
ASKER = "asker@acme.example"
WARM_UP = 20
Ask = Callable[[Gateway], object]


@dataclass(frozen=True, slots=True)
class Compared:
    surface: str
    tries: int
    hidden_ms: float
    absent_ms: float
    ratio: float
    p: float


def write(folder: Path, title: str, acl: str, documents: int) -> None:
    folder.mkdir()
    (folder / "acl.yaml").write_text(acl, encoding="utf-8")
    for number in range(documents):
        text = f"# {title} {number}\n\nThe crane number {number} is greased on Mondays.\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")


def opening(document: uuid.UUID) -> Ask:
    def ask(gateway: Gateway) -> None:
        try:
            gateway.get(f"/v1/documents/{document}")
        except NotFound:
            return
        raise RuntimeError("what may not be seen was opened")

    return ask


def suggesting(prefix: str) -> Ask:
    def ask(gateway: Gateway) -> None:
        if gateway.get("/v1/suggest", q=prefix)["items"]:
            raise RuntimeError("what may not be seen was suggested")

    return ask


def hidden_and_absent(surface: str, chance: random.Random, documents: int) -> Iterator[tuple[Ask, Ask]]:
    """Pairs without an end."""
    tenant = tenant_id(TENANT)
    while True:
        number = chance.randrange(documents)
        if surface == "document":
            hidden = document_id(tenant, source_id(tenant, CLOSED), f"{number}.md")
            yield opening(hidden), opening(uuid.UUID(int=chance.getrandbits(128), version=4))
        else:
            yield suggesting("zephyr n"[: chance.randint(2, 8)]), suggesting("quagga n"[: chance.randint(2, 8)])


def compared(gateway: Gateway, surface: str, pairs: Iterator[tuple[Ask, Ask]], tries: int) -> Compared:
    times_ms: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM_UP + tries):
        pair = next(pairs)
        # Neither is always first: what the first one warms would count for the other.
        for which in (0, 1) if number % 2 else (1, 0):
            began = time.perf_counter()
            pair[which](gateway)
            if number >= WARM_UP:
                times_ms[which].append((time.perf_counter() - began) * 1000)
    hidden, absent = (round(statistics.median(times), 2) for times in times_ms)
    return Compared(surface, tries, hidden, absent, round(hidden / absent, 3), round(p_value(*times_ms), 4))


def measure(platform: LocalPlatform, scratch: Path, arguments: argparse.Namespace, console: Console) -> list[Compared]:
    write(scratch / OPEN, "Harbour note", "public: tenant\n", arguments.documents)
    write(scratch / CLOSED, "Zephyr note", "allow: [user:other@acme.example]\n", arguments.documents)
    with platform.gateway(role=Role.ADMIN) as gateway:
        for name in (OPEN, CLOSED):
            ingest(gateway, name, scratch / name, console)
    chance = random.Random(arguments.seed)
    with platform.gateway(email=ASKER) as gateway:
        return [
            compared(gateway, surface, hidden_and_absent(surface, chance, arguments.documents), arguments.tries)
            for surface in ("document", "suggest")
        ]


async def run(arguments: argparse.Namespace, console: Console) -> Sequence[Compared]:
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as scratch:
        async with started(Path(scratch) / "data", port=arguments.port, environment=os.environ) as platform:
            return await asyncio.to_thread(measure, platform, Path(scratch), arguments, console)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.bench telltale", description=__doc__)
    parser.add_argument("--documents", type=int, default=200, help="of each kind")
    parser.add_argument("--tries", type=int, default=300, help="of each kind, on each surface")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object alone")
    parser.add_argument("--port", type=int, default=18084, help="of the gateway")
    arguments = parser.parse_args()
    found = asyncio.run(run(arguments, Console(stderr=True, highlight=False)))
    if arguments.json:
        print(json.dumps({one.surface: asdict(one) for one in found}))
        return 0
    table = Table("surface", "tries", "hidden p50 ms", "absent p50 ms", "ratio", "p", box=None)
    for one in found:
        table.add_row(one.surface, *(str(value) for name, value in asdict(one).items() if name != "surface"))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
