"""The extractive composer against the demo questions, without a server: parse, chunk, encode, search, compose.

    python -m eval.answers_offline --models DIR [--half tune|held|all] [--show]

Permissions come from the demo's own oracle. Thresholds are tuned on the half `tune`; `held` is looked at afterwards.
"""

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cortex.domain.answer import Composed
from eval.offline import Models, Searcher, entries
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings
from services.query_gateway.assemble import assemble
from services.query_gateway.settings import AnswerSettings
from tests.demo.oracle import load_oracle
from tests.demo.questions import Question, load_questions


def half_of(question: Question) -> str:
    return "tune" if hashlib.sha256(question.question.encode()).digest()[0] % 2 else "held"


def verdict(question: Question, cited: Sequence[str], composed: Composed) -> str:
    if question.abstain or composed.abstained:
        same = question.abstain == composed.abstained
        return "ok" if same else ("answered" if question.abstain else "silent")
    if not set(cited[:3]) & set(question.expect):
        return "wrong source"
    text = " ".join(sentence.text for sentence in composed.sentences)
    return "ok" if all(part.casefold() in text.casefold() for part in question.answer_contains) else "not the fact"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", type=Path, default=Path("demo"))
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--half", choices=["tune", "held", "all"], default="all")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    models = Models(options.models)
    corpus = list(entries(options.demo, models))
    oracle, searcher = load_oracle(options.demo), Searcher(corpus, models)
    paths = {entry.passage.document_id: entry.path for entry in corpus}
    tally: Counter[str] = Counter()
    answer, spent_s = AnswerSettings(), 0.0
    asked = [one for one in load_questions(options.demo) if options.half in ("all", half_of(one))]
    for question in asked:
        found = searcher.search(question.question, oracle.visible_documents(question.asker), answer)
        passages = assemble(found, characters_max=answer.context_characters)
        started = time.perf_counter()
        composed = compose(question.question, passages, ComposerSettings())
        spent_s += time.perf_counter() - started
        cited = [paths[citation.document_id] for one in composed.sentences for citation in one.citations]
        outcome = verdict(question, cited, composed)
        tally[outcome] += 1
        if options.show or outcome != "ok":
            rank = [n for n, one in enumerate(found, 1) if paths[one.document_id] in question.expect]
            print(f"\n[{outcome}] {question.id}: {question.question}  (expected at {rank[:3]})")
            for one in composed.sentences:
                print(f"   {paths[one.citations[0].document_id]}: {one.text!r}")
    print(f"\n{len(corpus)} chunks, {len(asked)} questions, {spent_s / len(asked) * 1000:.1f} ms each: {dict(tally)}")


if __name__ == "__main__":
    main()
