"""Scores of the demo's questions for `eval.ranking_check`, made anew by the platform's own code, without a server.

    python -m eval.ranking_record [--models DIR]

Parse, chunk, encode, both arms over what the asker may see by the demo's own oracle, exact scores of the union, late
interaction, neighbours. What is kept are numbers, and the names of documents.
"""

import argparse
import json
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.language import LanguageByScript
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import verify
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.domain.chunk import embedded_text
from cortex.domain.encoding import PassageEncoding
from cortex.domain.vector import SparseVector
from eval.local_platform import MODELS
from eval.ranking_check import CANDIDATES
from services.chunk.chunker import chunk
from services.chunk.settings import ChunkLimits
from services.parse.dispatch import parse
from services.parse.settings import ParseLimits
from services.rerank.frequency import frequencies
from services.rerank.maxsim import maxsim, query_vectors
from services.rerank.neighbours import neighbours
from services.rerank.settings import RerankSettings
from tests.demo.oracle import load_oracle
from tests.demo.questions import Question, load_questions

DEMO = Path(__file__).resolve().parents[1] / "demo"
ARM_LIMIT = 30
"""Less than the product's, so that the file stays small."""


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    encoding: PassageEncoding
    sparse: SparseVector


class Corpus:
    """The demo company in memory."""

    def __init__(self, models: Path, cache: Path) -> None:
        package = verify(models)
        self.dense = OnnxEncoder(package)
        self.languages = LanguageByScript()
        self.terms = Bm25Encoder(ChineseSegmenter(cache))
        self._counter = Tokenizer(package.tokenizer_path)
        self.entries = list(self._read())
        holding = Counter(index for entry in self.entries for index in entry.sparse.indices)
        count = len(self.entries)
        self.rarity = {index: math.log1p((count - held + 0.5) / (held + 0.5)) for index, held in holding.items()}
        self.vectors: NDArray[np.float32] = np.stack([np.frombuffer(one.encoding.dense, "<f4") for one in self.entries])
        self.known = frequencies([one.encoding.stored.token_ids for one in self.entries], corpus=count)

    def _read(self) -> Iterator[Entry]:
        for path, file in sorted(load_oracle(DEMO).documents.items()):
            parsed = parse(file.read_bytes(), name=file.name, limits=ParseLimits())
            title = parsed.title or file.stem
            chunks = chunk(
                title,
                parsed.blocks,
                counter=self._counter,
                language_of=lambda text: self.languages.detect(text).code,
                limits=ChunkLimits(),
            )
            for one in chunks:
                embedded = embedded_text(title, one.heading_path, one.text)
                sparse = self.terms.encode_passage(embedded, one.language).sparse
                yield Entry(path, self.dense.encode_passage(embedded), sparse)

    def row(self, question: Question, visible: frozenset[str]) -> dict[str, object] | None:
        """None for a language that the model does not declare: there the ranking has one arm alone."""
        language = self.languages.detect(question.question)
        if not self.dense.model.supports(language.code):
            return None
        terms = self.terms.encode_query(question.question, language.candidates)
        query = self.dense.encode_query(question.question)
        allowed = [n for n, entry in enumerate(self.entries) if entry.path in visible]
        bm25 = {n: self._bm25(terms, self.entries[n].sparse) for n in allowed}
        cosines = self.vectors @ np.frombuffer(query.dense, "<f4")
        lexical = [n for n in sorted(allowed, key=lambda n: -bm25[n])[:ARM_LIMIT] if bm25[n] > 0]
        union = sorted({*lexical, *sorted(allowed, key=lambda n: -float(cosines[n]))[:ARM_LIMIT]})
        stored = [self.entries[n].encoding.stored for n in union]
        late = maxsim(query_vectors(query), [self.known.weight(token) for token in query.token_ids], stored)
        worth = {token: self.known.weight(token) for one in stored for token in one.token_ids}
        paths = [self.entries[n].path for n in union]
        groups = [paths.index(path) for path in paths]
        near = neighbours(stored, worth, groups=groups, count=RerankSettings().neighbours)
        scores = zip(paths, (bm25[n] for n in union), (float(cosines[n]) for n in union), late, near, strict=True)
        return {
            "relevant": list(question.expect),
            "candidates": [
                [path, *(round(score, 4) for score in arms), [[place, round(weight, 3)] for place, weight in others]]
                for path, *arms, others in scores
            ],
        }

    def _bm25(self, terms: SparseVector, passage: SparseVector) -> float:
        weights: defaultdict[int, float] = defaultdict(float)
        for index, count in zip(terms.indices, terms.values, strict=True):
            weights[index] = count * self.rarity.get(index, 0.0)
        return sum(
            weights[index] * value
            for index, value in zip(passage.indices, passage.values, strict=True)
            if index in weights
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=MODELS)
    arguments = parser.parse_args()
    oracle = load_oracle(DEMO)
    with tempfile.TemporaryDirectory() as cache:
        corpus = Corpus(arguments.models, Path(cache))
    asked: Sequence[Question] = [question for question in load_questions(DEMO) if question.expect]
    rows = {question.id: corpus.row(question, oracle.visible_documents(question.asker)) for question in asked}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items()) if row is not None]
    CANDIDATES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(lines)} questions over {len(corpus.entries)} passages: {CANDIDATES}")


if __name__ == "__main__":
    main()
