"""Many askers at once on a platform of this machine: every stage against its budget, and how many questions failed.

    python -m eval.bench load [--askers 50] [--pause-s 10] [--for-s 120] [--corpus FOLDER] [--json]

Each asker opens a stream, reads it to its end, and waits before the next question; they begin spread over one pause.
The demo company is loaded, and with --corpus a folder beside it. Retrieval in all lasts until the sources arrive at the
asker's end of the wire, and holds everything before; the stages are as the gateway tells them. Of the re-check it tells
an administrator alone, in a histogram.
"""

import argparse
import asyncio
import itertools
import json
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cortex.cli.demo.company import DemoQuestion, load
from cortex.cli.demo.loading import load_company
from cortex.cli.source import mapping, progress
from cortex.domain.credential import Role
from cortex.domain.errors import CortexError
from eval.bench.stage_metrics import Looked, looked
from eval.bench.whole import ingest
from eval.local_platform import LocalPlatform, started

FIRST, WHOLE, RETRIEVAL = "first token", "whole answer", "retrieval in all"
RECHECK = "recheck"
GOALS_MS: Mapping[str, tuple[int, int, int]] = {
    "auth": (3, 10, 25),
    "search": (25, 70, 150),
    "rerank": (40, 120, 300),
    RECHECK: (5, 15, 40),
    "assemble": (10, 30, 60),
    RETRIEVAL: (105, 400, 800),
}
"""p50, p95 and p99 of one question by itself (architecture, section 8)."""
LOADED_P95_MS: Mapping[str, int] = {RETRIEVAL: 700, FIRST: 1_500}
"""While the askers are at it."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    count: int
    p50: float
    p95: float
    p99: float


@dataclass(slots=True)
class Measured:
    """`answers` counts those that were read to their end; `failures` by what they said."""

    spent_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    answers: int = 0
    failures: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    recheck: Percentiles | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, spent_ms: Mapping[str, float]) -> None:
        with self.lock:
            self.answers += 1
            for stage, value in spent_ms.items():
                self.spent_ms[stage].append(value)

    def fail(self, reason: str) -> None:
        with self.lock:
            self.failures[reason] += 1

    def by_stage(self) -> dict[str, Percentiles]:
        rechecked = {} if self.recheck is None else {RECHECK: self.recheck}
        return {stage: percentiles(values) for stage, values in self.spent_ms.items()} | rechecked


def percentiles(values: Sequence[float]) -> Percentiles:
    """Of at least one value, each the smallest that so many do not exceed."""
    ordered = sorted(values)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)

    return Percentiles(len(ordered), at(0.5), at(0.95), at(0.99))


def ask(platform: LocalPlatform, question: DemoQuestion, measured: Measured) -> None:
    """One streamed answer; an answer that ends in an error, or without an end, has failed."""
    began = time.perf_counter()
    spent: dict[str, float] = {}
    ended = False
    try:
        with platform.gateway(email=question.asker) as gateway:
            for kind, data in gateway.events("/v1/chat", {"question": question.question}):
                if kind == "sources":
                    spent[RETRIEVAL] = (time.perf_counter() - began) * 1000
                elif kind == "token" and FIRST not in spent:
                    spent[FIRST] = (time.perf_counter() - began) * 1000
                elif kind == "error":
                    measured.fail(str(mapping(json.loads(data)["problem"])["title"]))
                    return
                elif kind == "done":
                    ended = True
                    spent |= {name: float(str(value)) for name, value in json.loads(data)["stages_ms"].items()}
    except CortexError as error:
        measured.fail(f"{type(error).__name__}: {error}")
        return
    if not ended:
        measured.fail("the stream ended early")
        return
    measured.add(spent | {WHOLE: (time.perf_counter() - began) * 1000})


def one_after_the_other(platform: LocalPlatform, questions: Sequence[DemoQuestion], count: int) -> Measured:
    measured = Measured()
    for question in itertools.islice(itertools.cycle(questions), count):
        ask(platform, question, measured)
    return measured


def together(
    platform: LocalPlatform, questions: Sequence[DemoQuestion], *, askers: int, pause_s: float, for_s: float
) -> Measured:
    measured, over = Measured(), threading.Event()
    until = time.monotonic() + for_s

    def asker(number: int) -> None:
        mine = itertools.islice(itertools.cycle(questions), number % len(questions), None)
        over.wait(pause_s * number / askers)
        while time.monotonic() < until:
            ask(platform, next(mine), measured)
            over.wait(pause_s)

    with ThreadPoolExecutor(askers) as threads:
        for done in [threads.submit(asker, number) for number in range(askers)]:
            done.result()
    return measured


async def run(arguments: argparse.Namespace, environment: Mapping[str, str], console: Console) -> list[Measured]:
    with tempfile.TemporaryDirectory(prefix="cortex-bench-") as scratch:
        async with started(Path(scratch) / "data", port=arguments.port, environment=environment) as platform:
            return await asyncio.to_thread(measure, platform, arguments, console)


def measure(platform: LocalPlatform, arguments: argparse.Namespace, console: Console) -> list[Measured]:
    company = load()
    with platform.gateway(role=Role.ADMIN) as gateway:
        with progress(console) as bar:
            load_company(gateway, company, bar=bar)
        if arguments.corpus:
            ingest(gateway, "corpus", arguments.corpus, console)
        console.print("one question after the other")
        before = looked(gateway.lines("/metrics"), RECHECK)
        alone = one_after_the_other(platform, company.questions, arguments.alone)
        between = looked(gateway.lines("/metrics"), RECHECK)
        console.print(f"{arguments.askers} askers")
        loaded = together(
            platform, company.questions, askers=arguments.askers, pause_s=arguments.pause_s, for_s=arguments.for_s
        )
        after = looked(gateway.lines("/metrics"), RECHECK)
    alone.recheck, loaded.recheck = _of_histogram(between.since(before)), _of_histogram(after.since(between))
    return [alone, loaded]


def _of_histogram(found: Looked) -> Percentiles:
    return Percentiles(found.spread().count, found.quantile_ms(0.5), found.quantile_ms(0.95), found.quantile_ms(0.99))


def table(title: str, measured: Measured, goals: Mapping[str, tuple[int, int, int]]) -> Table:
    made = Table("stage", "count", "p50 ms", "p95 ms", "p99 ms", "goals", box=None, title=title, title_justify="left")
    for stage, found in measured.by_stage().items():
        goal = " / ".join(map(str, goals[stage])) if stage in goals else ""
        if stage in LOADED_P95_MS and not goals:
            goal = f"p95 {LOADED_P95_MS[stage]}"
        made.add_row(stage, str(found.count), f"{found.p50:.0f}", f"{found.p95:.0f}", f"{found.p99:.0f}", goal)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.bench load", description=__doc__)
    parser.add_argument("--askers", type=int, default=50)
    parser.add_argument("--pause-s", type=float, default=10.0, help="between an answer and the next question")
    parser.add_argument("--for-s", type=float, default=120.0)
    parser.add_argument("--alone", type=int, default=200, help="questions one after the other, before")
    parser.add_argument("--corpus", type=Path, help="folder of further documents, with an acl.yaml")
    parser.add_argument("--json", action="store_true", help="print one JSON object alone")
    parser.add_argument("--port", type=int, default=18083, help="of the gateway")
    arguments = parser.parse_args()
    alone, loaded = asyncio.run(run(arguments, os.environ, Console(stderr=True, highlight=False)))
    if arguments.json:
        stages = {name: {s: asdict(p) for s, p in m.by_stage().items()} for name, m in _named(alone, loaded)}
        failures = {name: dict(m.failures) for name, m in _named(alone, loaded)}
        print(json.dumps({"stages": stages, "failures": failures}))
    else:
        console = Console()
        console.print(table("one question after the other", alone, GOALS_MS), "")
        console.print(table(f"{arguments.askers} askers", loaded, {}), "")
        console.print(f"answers {loaded.answers}, errors {sum(loaded.failures.values())} {dict(loaded.failures) or ''}")
    return 1 if alone.failures or loaded.failures else 0


def _named(alone: Measured, loaded: Measured) -> list[tuple[str, Measured]]:
    return [("alone", alone), ("together", loaded)]


if __name__ == "__main__":
    sys.exit(main())
