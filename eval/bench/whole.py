"""The whole platform on this machine: start, memory, ingest against the embedder alone, and questions by stage.

    python -m eval.bench [--corpus FOLDER] [--json]

FOLDER holds documents of any kind, such as `python -m eval.python_peps --out FOLDER` unpacks; the last sixth of them is
read while questions are asked, the rest before. Without it only the demo company is loaded.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.cli.demo.company import load
from cortex.cli.demo.loading import load_company
from cortex.cli.gateway import Gateway
from cortex.cli.source import integer, mapping, progress, start_sync, wait_until_indexed
from cortex.domain.credential import Role
from eval.bench.asking import FIRST_TOKEN, WHOLE, Spread, first_tokens, searches
from eval.bench.embedder import chunks_per_s, embedded_texts
from eval.bench.stage_metrics import looked
from eval.local_platform import MODELS, LocalPlatform, started

QUIET, ASKED = "corpus", "corpus-while-asked"
SHARE_WHILE_ASKED = 6
SEARCHES_IDLE, SEARCHES_MAX = 200, 10_000
PAUSE_S = 0.5
# Milliseconds at p95 on an idle platform (architecture, section 8), and of the whole while documents come in.
RECHECK = "recheck"
BUDGETS_MS = {"auth": 25, "search": 70, "rerank": 120, RECHECK: 40, "assemble": 60, WHOLE: 400, FIRST_TOKEN: 1500}
BUDGETS_INGESTING_MS = {WHOLE: 700, FIRST_TOKEN: 1500}


@dataclass(slots=True)
class Figures:
    boot_first_s: float = 0.0
    boot_later_s: float = 0.0
    demo_ingest_s: float = 0.0
    pss_mb: dict[str, float] = field(default_factory=dict)
    chunks: int = 0
    pipeline_chunks_per_s: float = 0.0
    embedder_chunks_per_s: float = 0.0
    chunks_per_s_while_asked: float = 0.0
    idle: dict[str, Spread] = field(default_factory=dict)
    ingesting: dict[str, Spread] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        return self.pipeline_chunks_per_s / self.embedder_chunks_per_s if self.embedder_chunks_per_s else 0.0


def split(corpus: Path, folder: Path) -> dict[str, Path]:
    """The corpus as two folders of links to its files; names and times stay, so that a second run is the same."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    cut = len(files) - len(files) // SHARE_WHILE_ASKED
    parts = {QUIET: files[:cut], ASKED: files[cut:]}
    for name, some in parts.items():
        (folder / name).mkdir()
        (folder / name / "acl.yaml").write_text("public: tenant\n", encoding="utf-8")
        for path in some:
            if path.name != "acl.yaml":
                os.link(path, folder / name / "-".join(path.relative_to(corpus).parts))
    return {name: folder / name for name in parts}


def ingest(gateway: Gateway, name: str, folder: Path, console: Console) -> tuple[int, float]:
    """Chunks, and seconds from the start of the sync until the last is found."""
    gateway.post("/admin/v1/sources", {"name": name, "type": "files", "config": {"path": str(folder)}})
    began = time.monotonic()
    with progress(console) as bar:
        detail = wait_until_indexed(gateway, name, start_sync(gateway, name), bar=bar)
    return integer(mapping(detail["documents"])["chunks"]), time.monotonic() - began


def ingest_while_asked(
    platform: LocalPlatform, gateway: Gateway, folder: Path, console: Console
) -> tuple[float, dict[str, Spread]]:
    """Chunks a second, and how long the questions took."""
    stop, found = threading.Event(), dict[str, Spread]()

    def ask() -> None:
        found.update(searches(platform, load().questions, count=SEARCHES_MAX, pause_s=PAUSE_S, stop=stop))

    asker = threading.Thread(target=ask)
    asker.start()
    try:
        chunks, took_s = ingest(gateway, ASKED, folder, console)
    finally:
        stop.set()
        asker.join()
    return chunks / took_s, found


def measure(
    platform: LocalPlatform, figures: Figures, parts: Mapping[str, Path], *, every: int, console: Console
) -> None:
    company = load()
    with platform.gateway(role=Role.ADMIN) as gateway:
        began = time.monotonic()
        with progress(console) as bar:
            load_company(gateway, company, bar=bar)
        figures.demo_ingest_s = time.monotonic() - began
        answered = [question for question in company.questions if not question.abstain]
        console.print("demo loaded; questions to an idle platform")
        before = looked(gateway.lines("/metrics"), RECHECK)
        figures.idle = searches(platform, company.questions, count=SEARCHES_IDLE, pause_s=0.0, stop=threading.Event())
        figures.idle |= {
            RECHECK: looked(gateway.lines("/metrics"), RECHECK).since(before).spread(),
            FIRST_TOKEN: first_tokens(platform, answered),
        }
        figures.pss_mb = {process.name: process.pss_mb for process in platform.report().processes if process.pid}
        if not parts:
            return
        console.print("the corpus, without questions")
        figures.chunks, took_s = ingest(gateway, QUIET, parts[QUIET], console)
        figures.pipeline_chunks_per_s = figures.chunks / took_s
        console.print("the embedder alone, on the same chunks")
        texts = embedded_texts(platform.running.urls["CORTEX_DATABASE_ADMIN_URL"], QUIET)[::every]
        figures.embedder_chunks_per_s = chunks_per_s(MODELS, texts)
        console.print("more of the corpus, while questions are asked")
        figures.chunks_per_s_while_asked, figures.ingesting = ingest_while_asked(
            platform, gateway, parts[ASKED], console
        )


async def run(arguments: argparse.Namespace, environment: Mapping[str, str], console: Console) -> Figures:
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as scratch:
        parts = await asyncio.to_thread(split, arguments.corpus, Path(scratch)) if arguments.corpus else {}
        data = Path(scratch) / "data"
        async with started(data, port=arguments.port, environment=environment, disposable=False) as platform:
            figures.boot_first_s = platform.running.boot_s
        async with started(data, port=arguments.port, environment=environment) as platform:
            figures.boot_later_s = platform.running.boot_s
            await asyncio.to_thread(measure, platform, figures, parts, every=arguments.every, console=console)
    return figures


def tables(figures: Figures) -> Sequence[Table]:
    whole = Table("what", "measured", "goal", box=None)
    whole.add_row("first start", f"{figures.boot_first_s:.1f} s", "20 s")
    whole.add_row("later start", f"{figures.boot_later_s:.1f} s", "15 s")
    whole.add_row("demo company loaded in", f"{figures.demo_ingest_s:.1f} s", "")
    whole.add_row("memory (PSS) with it", f"{sum(figures.pss_mb.values()):.0f} MB", "2000 MB")
    whole.add_row("chunks of the corpus", f"{figures.chunks}", "5000")
    whole.add_row("ingest", f"{figures.pipeline_chunks_per_s:.1f} chunks/s", "")
    whole.add_row("embedder alone", f"{figures.embedder_chunks_per_s:.1f} chunks/s", "")
    whole.add_row("ratio", f"{figures.ratio:.2f}", "0.50")
    whole.add_row("ingest while asked", f"{figures.chunks_per_s_while_asked:.1f} chunks/s", "")
    memory = Table("process", "PSS MB", box=None)
    for name, megabytes in figures.pss_mb.items():
        memory.add_row(name, f"{megabytes:.0f}")
    idle = _stages("idle", figures.idle, BUDGETS_MS)
    return [whole, memory, idle, _stages("while ingesting", figures.ingesting, BUDGETS_INGESTING_MS)]


def _stages(title: str, stages: Mapping[str, Spread], budgets_ms: Mapping[str, int]) -> Table:
    table = Table("stage", "count", "p50 ms", "p95 ms", "goal", "max ms", box=None, title=title, title_justify="left")
    for stage, found in stages.items():
        spent = (f"{value:.0f}" for value in (found.p50_ms, found.p95_ms))
        table.add_row(stage, str(found.count), *spent, str(budgets_ms.get(stage, "")), f"{found.max_ms:.0f}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.bench", description=__doc__)
    parser.add_argument("--corpus", type=Path, help="folder with a second corpus")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="embedder alone: only each N-th chunk")
    parser.add_argument("--json", action="store_true", help="print one JSON object alone")
    parser.add_argument("--port", type=int, default=18082, help="of the gateway")
    arguments = parser.parse_args()
    console = Console(stderr=True, highlight=False)
    figures = asyncio.run(run(arguments, os.environ, console))
    if arguments.json:
        print(json.dumps(asdict(figures) | {"ratio": round(figures.ratio, 3)}))
    else:
        for table in tables(figures):
            Console().print(table, "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
