"""Whether the thousandth document costs what the first one did: seconds a document and memory, batch by batch.

    python -m eval.bench growth [--documents 5000] [--batches 5] [--seed 1] [--json]

Starts a platform of its own. The documents are made of random words, so that none is like another, and each is one
chunk or two; a batch is a folder that is read from the start of its sync until its last document is found.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.domain.credential import Role
from eval.bench.whole import ingest
from eval.local_platform import LocalPlatform, started

WORDS, LETTERS_MIN, LETTERS_MAX = 20_000, 3, 9
SENTENCES, WORDS_IN_SENTENCE = 10, 12


@dataclass(frozen=True, slots=True)
class Batch:
    """`pss_mb` is the proportional set size of all processes after the batch."""

    documents: int
    chunks: int
    took_s: float
    pss_mb: float
    index_pss_mb: float

    @property
    def ms_per_document(self) -> float:
        return 1000 * self.took_s / self.documents


def write_batch(folder: Path, chance: random.Random, vocabulary: Sequence[str], documents: int) -> None:
    folder.mkdir()
    (folder / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
    for number in range(documents):
        sentences = (" ".join(chance.choices(vocabulary, k=WORDS_IN_SENTENCE)) for _ in range(SENTENCES))
        text = "".join(f"{sentence.capitalize()}.\n" for sentence in sentences)
        (folder / f"{number}.md").write_text(f"# Note {folder.name} {number}\n\n{text}", encoding="utf-8")


def vocabulary(chance: random.Random) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(chance.choices(letters, k=chance.randint(LETTERS_MIN, LETTERS_MAX))) for _ in range(WORDS)]


def measure(platform: LocalPlatform, folders: Sequence[Path], console: Console) -> list[Batch]:
    batches = []
    with platform.gateway(role=Role.ADMIN) as gateway:
        for folder in folders:
            chunks, took_s = ingest(gateway, folder.name, folder, console)
            pss_mb = {process.name: process.pss_mb for process in platform.report().processes if process.pid}
            documents = len(list(folder.glob("*.md")))
            batches.append(Batch(documents, chunks, took_s, sum(pss_mb.values()), pss_mb.get("qdrant", 0.0)))
            console.print(batches[-1])
    return batches


async def run(arguments: argparse.Namespace, environment: Mapping[str, str], console: Console) -> list[Batch]:
    chance = random.Random(arguments.seed)
    words = vocabulary(chance)
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as scratch:
        folders = [Path(scratch) / f"batch-{number}" for number in range(arguments.batches)]
        for folder in folders:
            await asyncio.to_thread(write_batch, folder, chance, words, arguments.documents // arguments.batches)
        async with started(Path(scratch) / "data", port=arguments.port, environment=environment) as platform:
            return await asyncio.to_thread(measure, platform, folders, console)


def table(batches: Sequence[Batch]) -> Table:
    made = Table("batch", "documents", "chunks", "ms/document", "chunks/s", "PSS MB", "of the index", box=None)
    for number, batch in enumerate(batches, start=1):
        made.add_row(
            *(str(value) for value in (number, batch.documents, batch.chunks)),
            f"{batch.ms_per_document:.1f}",
            f"{batch.chunks / batch.took_s:.1f}",
            f"{batch.pss_mb:.0f}",
            f"{batch.index_pss_mb:.0f}",
        )
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one object and nothing else on stdout")
    parser.add_argument("--port", type=int, default=18083, help="of the gateway")
    arguments = parser.parse_args()
    batches = asyncio.run(run(arguments, os.environ, Console(stderr=True, highlight=False)))
    if arguments.json:
        figures = [asdict(batch) | {"ms_per_document": round(batch.ms_per_document, 2)} for batch in batches]
        print(json.dumps({"seed": arguments.seed, "batches": figures}))
    else:
        Console().print(table(batches))
    return 0


if __name__ == "__main__":
    sys.exit(main())
