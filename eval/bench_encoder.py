"""What the local encoder costs and what it ranks, offline: `python eval/bench_encoder.py --models DIR [SET ...]`.

Speed of passages and questions, resident memory, and nDCG@10 of each arm and of their fusion on retrieval sets in BEIR
form. The index's part (inverse document frequency, exact top 100 of each arm) is done here in numpy.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.language import LanguageByScript
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import ModelPackage, verify
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.domain.encoding import PassageEncoding
from cortex.domain.fusion import Candidate, Fusion, Neighbours, fuse, weights_for
from cortex.domain.vector import SparseVector
from eval.retrieval.measures import HEADLINE, by_question, means
from eval.retrieval_sets import RetrievalSet, read
from services.rerank.frequency import frequencies
from services.rerank.maxsim import maxsim, query_vectors
from services.rerank.neighbours import neighbours
from services.rerank.settings import RerankSettings

ARM_LIMIT = 100
WORKERS = 2
SPEED_PASSAGES = 300

Floats = NDArray[np.float32]


def resident_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    value: str


def texts_of(tokenizer: Tokenizer, source: str, *, tokens: int) -> list[str]:
    """Different texts of just so many tokens, special ones included, cut out of a long one."""
    length = tokens - tokenizer.special_tokens
    offsets = tokenizer.offsets(source)
    starts = range(0, len(offsets) - length, max(1, (len(offsets) - length) // SPEED_PASSAGES))
    return [source[offsets[start][0] : offsets[start + length - 1][1]] for start in starts]


def speed(package: ModelPackage, source: str) -> Iterator[Row]:
    before = resident_mb()
    started = time.perf_counter()
    encoder = OnnxEncoder(package)
    yield Row("processors, load before", f"{os.cpu_count()}, {os.getloadavg()[0]:.1f}")
    yield Row("loading the model", f"{time.perf_counter() - started:.2f} s")
    tokenizer = Tokenizer(package.tokenizer_path)
    for tokens in (128, 256):
        texts = texts_of(tokenizer, source, tokens=tokens)
        started = time.perf_counter()
        with ThreadPoolExecutor(WORKERS) as threads:
            list(threads.map(encoder.encode_passage, texts))
        yield Row(f"passages of {tokens} tokens", f"{len(texts) / (time.perf_counter() - started):.0f} /s")
    questions = texts_of(tokenizer, source, tokens=14)
    started = time.perf_counter()
    for question in questions:
        encoder.encode_query(question)
    yield Row("question of 14 tokens", f"{1000 * (time.perf_counter() - started) / len(questions):.1f} ms")
    yield Row("resident, for the encoder", f"{resident_mb() - before:.0f} MB")
    yield Row("resident, in all", f"{resident_mb():.0f} MB")


@dataclass(frozen=True, slots=True)
class Found:
    """What both arms found; `supported`: whether the model knows the question's language."""

    candidates: list[Candidate[str]]
    neighbours: Neighbours[str]
    supported: bool


class Arms:
    """A set's passages, encoded: what an index would hold."""

    def __init__(self, retrieval: RetrievalSet, encoder: OnnxEncoder, cache_dir: Path) -> None:
        self.ids = list(retrieval.passages)
        self.encoder = encoder
        self.languages = LanguageByScript()
        texts = list(retrieval.passages.values())
        codes = [self.languages.detect(text).code for text in texts]
        segmenter = ChineseSegmenter(cache_dir)
        self.terms = Bm25Encoder(segmenter)
        pairs = list(zip(texts, codes, strict=True))
        mean = sum(self.terms.encode_passage(text, code).length for text, code in pairs) / len(texts)
        found = [self.terms.encode_passage(text, code, average_terms=mean).sparse for text, code in pairs]
        self.postings = postings(found)
        with ThreadPoolExecutor(WORKERS) as threads:
            self.passages: list[PassageEncoding] = list(threads.map(encoder.encode_passage, texts))
        self.dense = np.stack([np.frombuffer(passage.dense, "<f4") for passage in self.passages])
        self.frequencies = frequencies([one.stored.token_ids for one in self.passages], corpus=len(texts))

    def candidates(self, question: str) -> Found:
        """The union of both arms' best, each with every exact score."""
        language = self.languages.detect(question)
        query = self.encoder.encode_query(question)
        sparse = self._sparse(self.terms.encode_query(question, language.candidates))
        dense = self.dense @ np.frombuffer(query.dense, "<f4")
        union = sorted({*best(sparse).tolist(), *best(dense).tolist()})
        weights = [self.frequencies.weight(token) for token in query.token_ids]
        stored = [self.passages[n].stored for n in union]
        late = maxsim(query_vectors(query), weights, stored)
        worth = {token: self.frequencies.weight(token) for one in stored for token in one.token_ids}
        near = neighbours(stored, worth, groups=union, count=RerankSettings().neighbours)
        names = [self.ids[n] for n in union]
        found = [
            Candidate(name, float(sparse[n]), float(dense[n]), score)
            for name, n, score in zip(names, union, late, strict=True)
        ]
        alike = {name: [(names[place], weight) for place, weight in one] for name, one in zip(names, near, strict=True)}
        return Found(found, alike, self.encoder.model.supports(language.code))

    def _sparse(self, query: SparseVector) -> Floats:
        scores = np.zeros(len(self.ids), np.float32)
        for index, count in zip(query.indices, query.values, strict=True):
            if index in self.postings:
                rows, weights = self.postings[index]
                scores[rows] += np.float32(count) * weights
        return scores


def postings(vectors: Sequence[SparseVector]) -> dict[int, tuple[NDArray[np.int64], Floats]]:
    """By term the passages that hold it and their weights, with the inverse document frequency as Qdrant has it."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    weights: defaultdict[int, list[float]] = defaultdict(list)
    for n, vector in enumerate(vectors):
        for index, weight in zip(vector.indices, vector.values, strict=True):
            rows[index].append(n)
            weights[index].append(weight)

    def rarity(index: int) -> float:
        return math.log1p((len(vectors) - len(rows[index]) + 0.5) / (len(rows[index]) + 0.5))

    return {
        index: (np.array(rows[index]), np.array(weights[index], np.float32) * np.float32(rarity(index)))
        for index in rows
    }


def best(scores: Floats) -> NDArray[np.int64]:
    order: NDArray[np.int64] = np.argsort(-scores, kind="stable")[:ARM_LIMIT]
    return order


def _alone(score: Callable[[Candidate[str]], float | None]) -> Callable[[Found], list[str]]:
    def ranked(found: Found) -> list[str]:
        return [one.id for one in sorted(found.candidates, key=lambda one: -(score(one) or 0.0))]

    return ranked


def _fused(mode: Fusion, *, beside: bool = False) -> Callable[[Found], list[str]]:
    def ranked(found: Found) -> list[str]:
        near = found.neighbours if beside and found.supported else None
        fused = fuse(found.candidates, weights=weights_for(found.supported), mode=mode, neighbours=near)
        return [one.id for one in fused]

    return ranked


RANKINGS: Mapping[str, Callable[[Found], list[str]]] = {
    "bm25": _alone(lambda one: one.bm25),
    "dense": _alone(lambda one: one.dense),
    "maxsim": _alone(lambda one: one.maxsim),
    "fused by rrf": _fused(Fusion.RRF),
    "fused by dbsf": _fused(Fusion.DBSF),
    "fused by scores": _fused(Fusion.SCORES),
    "fused by scores, with neighbours": _fused(Fusion.SCORES, beside=True),
}


def quality(retrieval: RetrievalSet, encoder: OnnxEncoder, cache_dir: Path) -> Iterator[Row]:
    arms = Arms(retrieval, encoder, cache_dir)
    started = time.perf_counter()
    candidates = {question: arms.candidates(text) for question, text in retrieval.questions.items()}
    elapsed_ms = 1000 * (time.perf_counter() - started) / len(candidates)
    for name, ranking in RANKINGS.items():
        ranked = {question: ranking(found) for question, found in candidates.items()}
        yield Row(f"{retrieval.name}: {name}", f"{means(by_question(ranked, retrieval.grades))[HEADLINE]:.3f}")
    yield Row(f"{retrieval.name}: a question", f"{elapsed_ms:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--models", type=Path, required=True, help="folder of built models")
    parser.add_argument("sets", type=Path, nargs="+", help="folders with corpus.jsonl, queries.jsonl and qrels.tsv")
    arguments = parser.parse_args()
    package = verify(arguments.models)
    retrievals = [read(folder) for folder in arguments.sets]
    for row in speed(package, " ".join(list(retrievals[0].passages.values())[:400])):
        print(f"{row.name:<40}{row.value:>12}", flush=True)
    encoder = OnnxEncoder(package)
    with tempfile.TemporaryDirectory() as cache_dir:
        for retrieval in retrievals:
            for row in quality(retrieval, encoder, Path(cache_dir)):
                print(f"{row.name:<40}{row.value:>12}", flush=True)


if __name__ == "__main__":
    main()
