"""Every English set through the real pipeline, each ingested once, and the final ranking against all others.

    python -m eval.quality --data FOLDER [--set NAME] [--out FOLDER]

FOLDER has folders of sets in BEIR form, at any depth. Writes figures and every question's results below `--out`, and
the tables of docs/reference/quality.md.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from eval.quality_page import FIGURES, PAGE, tables, write
from eval.retrieval.ask import DEPTH
from eval.retrieval.evaluate import Outcome, evaluate
from eval.retrieval.keep import keep
from eval.retrieval.measures import HEADLINE, by_question
from eval.retrieval.outside import bm25, reciprocal_ranks
from eval.retrieval.platforms import own
from eval.retrieval_sets import CORPUS, RetrievalSet, read

FINAL, LEXICAL, DENSE, RRF, DBSF = "hybrid", "lexical", "dense", "rrf", "dbsf"
ARM_DEPTH = 50
ASKERS = 4
DEPTHS = {FINAL: DEPTH, LEXICAL: ARM_DEPTH, DENSE: ARM_DEPTH, RRF: 10, DBSF: 10}
OUTSIDE, LISTS = "bm25s", "rrf of the arms' lists"
REPORT = Path(__file__).resolve().parent / "reports" / "quality.json"


def find(folder: Path) -> list[Path]:
    """Folders of sets, by name."""
    return sorted((path.parent for path in folder.rglob(CORPUS)), key=lambda path: path.name)


def chosen(data: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Folders of the sets that are called so, or of all; ends the program where there are none."""
    folders = [folder for one in data for folder in find(one) if not names or folder.name in names]
    if not folders:
        sys.exit(f"no sets in {', '.join(map(str, data))}")
    return folders


def compared(retrieval: RetrievalSet, outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, float]]]:
    """Each ranking's measures by question: the product's modes, and those made from outside."""
    by_mode = {outcome.mode: outcome for outcome in outcomes}
    arms = [by_mode[LEXICAL].asked.rankings, by_mode[DENSE].asked.rankings]
    scores = {mode: outcome.scores for mode, outcome in by_mode.items()}
    scores[OUTSIDE] = by_question(bm25(retrieval), retrieval.grades)
    scores[LISTS] = by_question(reciprocal_ranks(arms), retrieval.grades)
    return scores


def report_of(retrieval: RetrievalSet, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """What is kept of a set: figures of the final ranking, and by ranking the headline of every question."""
    final = next(outcome for outcome in outcomes if outcome.mode == FINAL)
    scores = compared(retrieval, outcomes)
    headline = {
        name: {question: round(one[HEADLINE], 4) for question, one in rows.items()} for name, rows in scores.items()
    }
    return {"figures": final.figures(), HEADLINE: headline}


async def run(folders: Sequence[Path], out: Path, environment: Mapping[str, str]) -> None:
    """Writes the report after each set, beside what earlier runs said of other sets."""
    async with own(environment) as site:
        for folder in folders:
            retrieval = read(folder)
            outcomes = await asyncio.to_thread(evaluate, site, retrieval, depths=DEPTHS, askers=ASKERS, observe=say)
            await asyncio.to_thread(keep, out / retrieval.name, outcomes)
            reports = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.exists() else {}
            reports[retrieval.name] = report_of(retrieval, outcomes)
            REPORT.write_text(json.dumps(reports, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders with sets in BEIR form below")
    parser.add_argument("--set", action="append", default=[], help="only sets of this name")
    parser.add_argument("--out", type=Path, default=Path(".cortex") / "quality", help="every question's results")
    arguments = parser.parse_args()
    folders = chosen(arguments.data, arguments.set)
    asyncio.run(run(folders, arguments.out, dict(os.environ)))
    write(tables(json.loads(REPORT.read_text(encoding="utf-8"))), PAGE, place=FIGURES)
    print(f"{REPORT} and {PAGE} are written; every question's results lie in {arguments.out}")


if __name__ == "__main__":
    main()
