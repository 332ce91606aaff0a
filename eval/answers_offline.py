"""The extractive composer against the demo questions, without a server: parse, chunk, encode, search, compose.

    python -m eval.answers_offline --models DIR [--half tune|held|all] [--show]

Permissions come from the demo's own oracle. Thresholds are tuned on the half `tune`; `held` is looked at afterwards.
"""

import argparse
import hashlib
import math
import re
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from cortex.adapters.bm25.encoder import Bm25Encoder
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.language import LanguageByScript
from cortex.adapters.onnx.encoder import OnnxEncoder
from cortex.adapters.onnx.package import verify
from cortex.adapters.onnx.tokenizer import Tokenizer
from cortex.domain import fusion
from cortex.domain.answer import Composed, Passage, SourceLabel
from cortex.domain.chunk import embedded_text
from cortex.domain.document import Anchor, Block
from cortex.domain.encoding import PassageEncoding
from cortex.domain.identity import ChunkId, DocumentId, SourceId
from cortex.domain.query import Found
from cortex.domain.vector import SparseVector
from services.chunk.chunker import chunk
from services.chunk.settings import ChunkLimits
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings
from services.parse.dispatch import parse
from services.parse.settings import ParseLimits
from services.query_gateway.assemble import assemble
from services.query_gateway.settings import AnswerSettings
from services.rerank.maxsim import maxsim, query_vectors
from tests.demo.oracle import load_oracle
from tests.demo.questions import Question, load_questions

ARM_LIMIT = 100
_TIME = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\]")


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    passage: Passage
    encoding: PassageEncoding
    sparse: SparseVector


class Models:
    """The encoders of evaluation mode."""

    def __init__(self, folder: Path) -> None:
        package = verify(folder)
        self.dense = OnnxEncoder(package)
        self.counter = Tokenizer(package.tokenizer_path)
        self.languages = LanguageByScript()
        cache = Path(tempfile.gettempdir()) / f"cortex-eval-{uuid.uuid4().hex}"
        self.terms = Bm25Encoder(ChineseSegmenter(cache))


def entries(demo: Path, models: Models) -> Iterator[Entry]:
    for path, file in load_oracle(demo).documents.items():
        parsed = parse(file.read_bytes(), name=file.name, limits=ParseLimits())
        title = parsed.title or file.stem
        chunks = chunk(
            title,
            parsed.blocks,
            counter=models.counter,
            language_of=lambda text: models.languages.detect(text).code,
            limits=ChunkLimits(),
        )
        document = DocumentId(uuid.uuid5(uuid.NAMESPACE_URL, path))
        for one in chunks:
            embedded = embedded_text(title, one.heading_path, one.text)
            anchors = tuple(Anchor(1, span.block_id, span.start, span.end) for span in one.spans)
            passage = Passage(
                chunk_id=ChunkId(uuid.uuid5(document, str(one.ordinal))),
                document_id=document,
                revision=1,
                title=title,
                url="",
                source=SourceLabel(SourceId(uuid.NAMESPACE_URL), "files", path.split("/")[0]),
                author=parsed.author,
                updated_at=changed(parsed.updated_at or parsed.created_at, parsed.blocks),
                language=one.language,
                heading_path=one.heading_path,
                text=one.text,
                anchors=anchors,
                score=0.0,
            )
            yield Entry(
                path,
                passage,
                models.dense.encode_passage(embedded),
                models.terms.encode_passage(embedded, one.language),
            )


def changed(text: str | None, blocks: Sequence[Block]) -> datetime | None:
    """The document's own time, or that of a chat's last message."""
    if text is None:
        said = [match[1] for block in blocks for match in _TIME.finditer(block.text)]
        if not said:
            return None
        text = said[-1]
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Searcher:
    """Both arms, exact scores, late interaction and fusion, in memory; terms are weighed over all documents."""

    def __init__(self, corpus: Sequence[Entry], models: Models) -> None:
        self._corpus = corpus
        self._models = models
        holding = Counter(index for entry in corpus for index in entry.sparse.indices)
        self._rarity = {n: math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5)) for n, df in holding.items()}
        self._dense = np.stack([np.frombuffer(entry.encoding.dense, "<f4") for entry in corpus])

    def search(self, question: str, visible: frozenset[str], answer: AnswerSettings) -> list[Found]:
        language = self._models.languages.detect(question)
        supported = self._models.dense.model.supports(language.code)
        allowed = [n for n, entry in enumerate(self._corpus) if entry.path in visible]
        terms = self._models.terms.encode_query(question, language.candidates)
        weights = {n: v * self._rarity.get(n, 0.0) for n, v in zip(terms.indices, terms.values, strict=True)}
        encoded = self._models.dense.encode_query(question)
        cosines = self._dense @ np.frombuffer(encoded.dense, "<f4")
        bm25 = {n: _dot(weights, self._corpus[n].sparse) for n in allowed}
        lexical = [n for n in sorted(allowed, key=lambda n: -bm25[n]) if bm25[n] > 0][:ARM_LIMIT]
        dense = sorted(allowed, key=lambda n: -cosines[n])[:ARM_LIMIT] if supported else []
        union = list(dict.fromkeys([*dense, *lexical]))
        vectors = query_vectors(encoded)
        late = maxsim(vectors, [1.0] * len(vectors), [self._corpus[n].encoding.stored for n in union])
        fused = fusion.fuse(
            [
                fusion.Candidate(n, bm25=bm25[n], dense=float(cosines[n]), maxsim=score)
                for n, score in zip(union, late, strict=True)
            ],
            weights=fusion.weights_for(supported),
        )
        found: dict[DocumentId, list[Passage]] = {}
        for one in fused:
            scores = {"fused": one.score, "bm25": bm25[one.id], "dense": float(cosines[one.id]) if supported else 0.0}
            passage = scored(self._corpus[one.id].passage, one.score, scores)
            if passage.document_id in found or len(found) < answer.documents_max:
                found.setdefault(passage.document_id, []).append(passage)
        return [Found(document, tuple(all_[: answer.passages_per_document]), ()) for document, all_ in found.items()]


def scored(passage: Passage, score: float, scores: dict[str, float]) -> Passage:
    values = {name: getattr(passage, name) for name in Passage.__slots__}
    return Passage(**{**values, "score": score, "scores": scores})


def _dot(weights: dict[int, float], passage: SparseVector) -> float:
    return sum(weights.get(n, 0.0) * value for n, value in zip(passage.indices, passage.values, strict=True))


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
