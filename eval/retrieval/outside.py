"""Rankings that owe nothing to the product: BM25 by bm25s, and reciprocal ranks of lists that were asked for."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import bm25s
import Stemmer

from eval.retrieval.measures import Rankings
from eval.retrieval_sets import RetrievalSet

RANK_CONSTANT = 60
"""Of Cormack, Clarke and Buettcher 2009; ranks count from 1."""


class Bm25s:
    """With the English stemmer and stop words, k1 1.5 and b .75, which are its defaults."""

    def __init__(self, passages: Mapping[str, str]) -> None:
        self._names = list(passages)
        self._options = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
        self._index = bm25s.BM25()
        self._index.index(bm25s.tokenize(list(passages.values()), **self._options), show_progress=False)

    def search(self, questions: Sequence[str], *, depth: int = 100) -> list[list[str]]:
        """Documents that share a term with each question, best first."""
        asked = bm25s.tokenize(list(questions), **self._options)
        found, scores = self._index.retrieve(asked, k=min(depth, len(self._names)), show_progress=False)
        return [
            [self._names[int(n)] for n, score in zip(row, row_scores, strict=True) if score > 0]
            for row, row_scores in zip(found, scores, strict=True)
        ]


def bm25(retrieval: RetrievalSet) -> dict[str, list[str]]:
    found = Bm25s(retrieval.passages).search(list(retrieval.questions.values()))
    return dict(zip(retrieval.questions, found, strict=True))


def reciprocal_ranks(arms: Sequence[Rankings]) -> dict[str, list[str]]:
    """The arms' lists of documents as one, by the sum of 1 / (k + rank)."""
    fused: dict[str, list[str]] = {}
    for question in arms[0]:
        scores: defaultdict[str, float] = defaultdict(float)
        for arm in arms:
            for rank, document in enumerate(arm[question], start=1):
                scores[document] += 1 / (RANK_CONSTANT + rank)
        fused[question] = sorted(scores, key=lambda document: (-scores[document], document))
    return fused
