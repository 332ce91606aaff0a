"""Measures of rankings, by ir-measures (which computes them with trec_eval)."""

from collections.abc import Iterable, Mapping, Sequence

import ir_measures
from ir_measures import RR, R, nDCG

from eval.retrieval_sets import Grades

MEASURES: Mapping[str, ir_measures.measures.Measure] = {
    "ndcg@10": nDCG @ 10,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "recall@100": R @ 100,
    "mrr@10": RR @ 10,
}
HEADLINE = "ndcg@10"

Rankings = Mapping[str, Sequence[str]]
"""For each question the documents found, best first."""
Scores = dict[str, dict[str, float]]
"""By question and measure."""


def by_question(rankings: Rankings, grades: Grades) -> Scores:
    """Every question of `grades`; one without a ranking scores 0."""
    names = {measure: name for name, measure in MEASURES.items()}
    scores: Scores = {question: dict.fromkeys(MEASURES, 0.0) for question in grades}
    judged = [
        ir_measures.Qrel(question, document, grade)
        for question, documents in grades.items()
        for document, grade in documents.items()
    ]
    for metric in ir_measures.iter_calc(list(names), judged, _run(rankings, grades)):
        scores[metric.query_id][names[metric.measure]] = metric.value
    return scores


def means(scores: Scores) -> dict[str, float]:
    return {name: sum(one[name] for one in scores.values()) / max(len(scores), 1) for name in MEASURES}


def _run(rankings: Rankings, grades: Grades) -> Iterable[ir_measures.ScoredDoc]:
    """Scores that fall by rank: only the order counts, and trec_eval breaks ties by name."""
    for question, documents in rankings.items():
        if question in grades:
            for rank, document in enumerate(documents):
                yield ir_measures.ScoredDoc(question, document, float(-rank))
