"""One set in one mode, or in several after one ingestion; and what that says."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from eval.retrieval.ask import Asked, ask
from eval.retrieval.ingest import Ingested, ingest
from eval.retrieval.intervals import Interval, mean_interval
from eval.retrieval.measures import HEADLINE, MEASURES, Scores, by_question, means
from eval.retrieval.platforms import Site
from eval.retrieval_sets import RetrievalSet

Observe = Callable[[str], None]


def _silent(_: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Outcome:
    """A set in one mode."""

    retrieval: RetrievalSet
    mode: str
    ingested: Ingested
    asked: Asked
    scores: Scores

    def interval(self, measure: str = HEADLINE) -> Interval:
        return mean_interval([one[measure] for one in self.scores.values()])

    def percentile_ms(self, percent: int) -> float:
        return float(np.percentile(self.asked.spent_ms, percent)) if self.asked.spent_ms else 0.0

    def figures(self) -> dict[str, object]:
        """As `cortex eval retrieval --json` prints them."""
        measured: dict[str, object] = {name: round(value, 4) for name, value in means(self.scores).items()}
        return measured | {
            "docs_per_s": round(self.ingested.documents_per_s, 1),
            "p50_ms": round(self.percentile_ms(50), 1),
            "p95_ms": round(self.percentile_ms(95), 1),
            "questions": len(self.scores),
            "intervals": {name: self.interval(name).rounded() for name in MEASURES},
            "set": self.retrieval.name,
            "mode": self.mode,
            "documents": self.ingested.documents,
            "chunks": self.ingested.chunks,
            "degraded": dict(self.asked.degraded),
        }

    def rows(self) -> Iterator[dict[str, object]]:
        """One object a question: what was asked, what was found with its scores, what was wanted."""
        grades = self.retrieval.grades
        for question, scores in self.scores.items():
            answer = self.asked.answers.get(question)
            hits = answer.hits if answer is not None else []
            yield {
                "set": self.retrieval.name,
                "mode": self.mode,
                "id": question,
                "question": self.retrieval.questions[question],
                "scores": {name: round(value, 4) for name, value in scores.items()},
                "relevant": dict(grades[question]),
                "found": [{"document": hit.name, "score": hit.score, "made_of": dict(hit.scores)} for hit in hits],
            }


def evaluate(
    site: Site, retrieval: RetrievalSet, *, depths: Mapping[str, int], askers: int = 1, observe: Observe = _silent
) -> list[Outcome]:
    """Pushed once into a tenant of its own, so that nothing else weighs on its terms, then asked in each mode.

    `depths` holds the modes, and how many documents are asked for in each.
    """
    with pushed(site, retrieval, observe=observe) as (tenant, ingested):
        outcomes = []
        for mode, depth in depths.items():
            observe(f"{retrieval.name}: {len(retrieval.questions)} questions, {mode}")
            with site.asker(tenant) as gateway:
                # Frequencies and dictionaries are loaded by a first question, which belongs to nobody's time.
                ask(gateway, dict(list(retrieval.questions.items())[:1]), ingested, mode=mode, depth=1)
                asked = ask(gateway, retrieval.questions, ingested, mode=mode, depth=depth, askers=askers)
            scores = by_question(asked.rankings, retrieval.grades)
            outcomes.append(Outcome(retrieval, mode, ingested, asked, scores))
        return outcomes


@contextmanager
def pushed(site: Site, retrieval: RetrievalSet, *, observe: Observe = _silent) -> Iterator[tuple[str, Ingested]]:
    """The set in a new tenant of the platform; its source is removed at the end."""
    tenant = f"eval-{uuid.uuid4().hex[:12]}"
    source = "set"
    with site.administrator(tenant) as gateway:
        observe(f"{retrieval.name}: {len(retrieval.documents)} documents")
        ingested = ingest(gateway, retrieval, source=source)
        try:
            yield tenant, ingested
        finally:
            gateway.delete(f"/admin/v1/sources/{source}")
