"""The ranking against its baseline, over scores that are kept here: no server, no model, the same figures everywhere.

    python -m eval.ranking_check             fails where the ranking is worse than the baseline beyond noise
    python -m eval.ranking_check --accept    makes the present ranking the baseline

`eval/baselines/candidates.json` holds, for each question of the demo that has an answer, the candidates among what its
asker may see, with the scores of every arm and their neighbours (made by `python -m eval.ranking_record`);
`eval/baselines/ranking.json` how well they were ranked.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cortex.domain import fusion
from eval.retrieval.intervals import Interval, paired
from eval.retrieval.measures import HEADLINE, Scores, by_question, means

BASELINES = Path(__file__).resolve().parent / "baselines"
CANDIDATES, BASELINE = BASELINES / "candidates.json", BASELINES / "ranking.json"
TOLERANCE = 0.01
"""A mean may fall by so much, where the interval of the difference does not lie below 0 as a whole."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One question: its relevant documents, and passages by place, with the document of each."""

    relevant: tuple[str, ...]
    documents: tuple[str, ...]
    candidates: tuple[fusion.Candidate[int], ...]
    neighbours: fusion.Neighbours[int]

    @property
    def ranking(self) -> list[str]:
        """Documents by their best passage, by the product's own fusion."""
        fused = fusion.fuse(self.candidates, neighbours=self.neighbours)
        return list(dict.fromkeys(self.documents[one.id] for one in fused))


@dataclass(frozen=True, slots=True)
class Verdict:
    now: float
    before: float
    difference: Interval

    @property
    def worse(self) -> bool:
        return self.difference.below or self.now < self.before - TOLERANCE


def read(path: Path = CANDIDATES) -> dict[str, Kept]:
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {name: kept(row["relevant"], row["candidates"]) for name, row in rows.items()}


def kept(relevant: Sequence[str], rows: Sequence[Sequence[object]]) -> Kept:
    """From rows of document, BM25, cosine, late interaction and neighbours."""
    candidates, neighbours = [], {}
    for place, (_, bm25, dense, late, near) in enumerate(rows):
        assert isinstance(bm25, float | int)
        assert isinstance(dense, float | int)
        assert isinstance(late, float | int)
        assert isinstance(near, list)
        candidates.append(fusion.Candidate(place, float(bm25), float(dense), float(late)))
        neighbours[place] = [(int(other), float(weight)) for other, weight in near]
    return Kept(tuple(relevant), tuple(str(row[0]) for row in rows), tuple(candidates), neighbours)


def ranked(questions: Mapping[str, Kept]) -> Scores:
    return by_question(
        {name: one.ranking for name, one in questions.items()},
        {name: dict.fromkeys(one.relevant, 1) for name, one in questions.items()},
    )


def judge(now: Scores, before: Mapping[str, float]) -> Verdict:
    """Over the questions of both."""
    found = {name: now[name][HEADLINE] for name in before if name in now}
    return Verdict(_mean(found), _mean({name: before[name] for name in found}), paired(found, before))


def _mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / max(len(values), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true")
    arguments = parser.parse_args()
    now = ranked(read())
    if arguments.accept:
        headline = {name: round(one[HEADLINE], 4) for name, one in sorted(now.items())}
        BASELINE.write_text(json.dumps(headline, indent=1) + "\n", encoding="utf-8")
    verdict = judge(now, json.loads(BASELINE.read_text(encoding="utf-8")))
    figures = ", ".join(f"{name} {value:.3f}" for name, value in means(now).items())
    print(f"ranking: {figures}; {HEADLINE} against the baseline: {verdict.difference.shown()}")
    if verdict.worse:
        sys.exit(f"the ranking is worse than its baseline ({verdict.before:.3f}) beyond noise")


if __name__ == "__main__":
    main()
