"""Rankings that owe nothing to the product: BM25 by bm25s, and reciprocal ranks of lists that were asked for."""

from collections import defaultdict
from collections.abc import Sequence

import bm25s
import Stemmer

from eval.retrieval.measures import Rankings
from eval.retrieval_sets import RetrievalSet

RANK_CONSTANT = 60
"""Of Cormack, Clarke and Buettcher 2009; ranks count from 1."""


def bm25(retrieval: RetrievalSet, *, depth: int = 100) -> dict[str, list[str]]:
    """With the English stemmer and stop words, k1 1.5 and b .75, which are its defaults."""
    names, texts = list(retrieval.passages), list(retrieval.passages.values())
    stemmer = Stemmer.Stemmer("english")
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, **options), show_progress=False)
    asked = bm25s.tokenize(list(retrieval.questions.values()), **options)
    found, scores = index.retrieve(asked, k=min(depth, len(names)), show_progress=False)
    return {
        question: [names[int(n)] for n, score in zip(row, row_scores, strict=True) if score > 0]
        for question, row, row_scores in zip(retrieval.questions, found, scores, strict=True)
    }


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
