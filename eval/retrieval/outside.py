"""Rankings that owe nothing to the product: BM25 by bm25s, and reciprocal ranks of lists that were asked for."""

import importlib
import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import bm25s
import Stemmer

from eval.retrieval.measures import Rankings
from eval.retrieval_sets import RetrievalSet

Tokenised = Any
"""As bm25s takes it: its own form, or lists of terms."""
Tokenise = Callable[[list[str]], Tokenised]

_WORDS = re.compile(r"[a-z0-9]+|[^\W_a-z0-9]+")
RANK_CONSTANT = 60
"""Of Cormack, Clarke and Buettcher 2009; ranks count from 1."""


class Bm25s:
    """k1 1.5 and b .75, which are its defaults, over terms of a language."""

    def __init__(self, passages: Mapping[str, str], tokenise: Tokenise | None = None) -> None:
        self._names = list(passages)
        self._tokenise = tokenise or spaced("en")
        self._index = bm25s.BM25()
        self._index.index(self._tokenise(list(passages.values())), show_progress=False)

    def search(self, questions: Sequence[str], *, depth: int = 100) -> list[list[str]]:
        """Documents that share a term with each question, best first."""
        asked = self._tokenise(list(questions))
        found, scores = self._index.retrieve(asked, k=min(depth, len(self._names)), show_progress=False)
        return [
            [self._names[int(n)] for n, score in zip(row, row_scores, strict=True) if score > 0]
            for row, row_scores in zip(found, scores, strict=True)
        ]


def spaced(language: str) -> Tokenise:
    """Words by bm25s itself, with its stop words and the Snowball stemmer of the language."""
    options = {"stopwords": language, "stemmer": Stemmer.Stemmer(language), "show_progress": False}

    def tokenise(texts: list[str]) -> Tokenised:
        tokenised: Tokenised = bm25s.tokenize(texts, **options)
        return tokenised

    return tokenise


def jieba_words(texts: list[str]) -> Tokenised:
    """Chinese by jieba's dictionary, without punctuation."""
    with warnings.catch_warnings():
        # Its regular expressions are written in an old way, which is reported whenever they are compiled.
        warnings.simplefilter("ignore")
        jieba = importlib.import_module("jieba")
    jieba.setLogLevel(logging.WARNING)
    return [[word for word in jieba.lcut(text.lower()) if _WORDS.search(word)] for text in texts]


def han_bigrams(texts: list[str]) -> Tokenised:
    """Chinese by every two neighbouring characters, and words of other writing as they stand."""
    return [[term for run in _WORDS.findall(text.lower()) for term in _bigrams(run)] for text in texts]


def _bigrams(run: str) -> list[str]:
    if run.isascii() or len(run) == 1:
        return [run]
    return [run[start : start + 2] for start in range(len(run) - 1)]


def tokenisers(language: str) -> dict[str, Tokenise]:
    """What may be fair to bm25s in a language, by name: it gets whichever serves it best."""
    if language == "zh":
        return {"jieba": jieba_words, "bigrams": han_bigrams}
    return {language: spaced(language)}


def bm25(retrieval: RetrievalSet, tokenise: Tokenise | None = None) -> dict[str, list[str]]:
    found = Bm25s(retrieval.passages, tokenise).search(list(retrieval.questions.values()))
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
