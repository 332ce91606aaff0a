"""The hot path in one process, without servers: parse, chunk, encode, search, fuse, with the services' own code.

For trials and for sets whose texts come as passages. Who may see what is the caller's to say.
"""

import math
import re
import tempfile
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
from cortex.domain.answer import Passage, SourceLabel
from cortex.domain.chunk import embedded_text
from cortex.domain.document import Anchor, Block
from cortex.domain.encoding import PassageEncoding, QueryEncoding
from cortex.domain.identity import ChunkId, DocumentId, SourceId
from cortex.domain.query import Found
from cortex.domain.vector import SparseVector
from services.chunk.chunker import chunk
from services.chunk.settings import ChunkLimits
from services.parse.dispatch import parse
from services.parse.settings import ParseLimits
from services.query_gateway.settings import AnswerSettings
from services.rerank.frequency import frequencies
from services.rerank.maxsim import maxsim, query_vectors
from services.rerank.neighbours import neighbours
from services.rerank.settings import RerankSettings
from tests.demo.oracle import load_oracle

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
    """The demo company's documents."""
    for path, file in load_oracle(demo).documents.items():
        parsed = parse(file.read_bytes(), name=file.name, limits=ParseLimits())
        at = changed(parsed.updated_at or parsed.created_at, parsed.blocks)
        yield from chunked(path, parsed.title or file.stem, parsed.blocks, models, author=parsed.author, updated_at=at)


def chunked(
    path: str,
    title: str,
    blocks: Sequence[Block],
    models: Models,
    *,
    author: str | None = None,
    updated_at: datetime | None = None,
) -> Iterator[Entry]:
    """One document, as it would be indexed."""
    chunks = chunk(
        title,
        blocks,
        counter=models.counter,
        language_of=lambda text: models.languages.detect(text).code,
        limits=ChunkLimits(),
    )
    document = DocumentId(uuid.uuid5(uuid.NAMESPACE_URL, path))
    for one in chunks:
        embedded = embedded_text(title, one.heading_path, one.text)
        passage = Passage(
            chunk_id=ChunkId(uuid.uuid5(document, str(one.ordinal))),
            document_id=document,
            revision=1,
            title=title,
            url="",
            source=SourceLabel(SourceId(uuid.NAMESPACE_URL), "files", path.split("/")[0]),
            author=author,
            updated_at=updated_at,
            language=one.language,
            heading_path=one.heading_path,
            text=one.text,
            anchors=tuple(Anchor(1, span.block_id, span.start, span.end) for span in one.spans),
            score=0.0,
        )
        sparse = models.terms.encode_passage(embedded, one.language).sparse
        yield Entry(path, passage, models.dense.encode_passage(embedded), sparse)


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
        tokens = [entry.encoding.stored.token_ids for entry in corpus]
        self._frequencies = frequencies(tokens, corpus=len(corpus))
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
        late, near = self._late_interaction(encoded, union)
        maxsims = dict(zip(union, late, strict=True))
        fused = fusion.fuse(
            [
                fusion.Candidate(n, bm25=bm25[n], dense=float(cosines[n]), maxsim=score)
                for n, score in zip(union, late, strict=True)
            ],
            weights=fusion.weights_for(supported),
            neighbours=near if supported else None,
        )
        found: dict[DocumentId, list[Passage]] = {}
        for one in fused:
            scores = {"fused": one.score, "bm25": bm25[one.id], "dense": float(cosines[one.id]) if supported else 0.0}
            scores |= {"maxsim": maxsims[one.id]} if supported else {}
            passage = scored(self._corpus[one.id].passage, one.score, scores)
            if passage.document_id in found or len(found) < answer.documents_max:
                found.setdefault(passage.document_id, []).append(passage)
        return [Found(document, tuple(all_[: answer.passages_per_document]), ()) for document, all_ in found.items()]

    def _late_interaction(
        self, encoded: QueryEncoding, union: Sequence[int]
    ) -> tuple[Sequence[float], fusion.Neighbours[int]]:
        """Scores in the order of `union`, and which of it are most like one another."""
        stored = [self._corpus[n].encoding.stored for n in union]
        tokens = {token for passage in stored for token in passage.token_ids}
        worth = {token: self._frequencies.weight(token) for token in tokens.union(encoded.token_ids)}
        late = maxsim(query_vectors(encoded), [worth[token] for token in encoded.token_ids], stored)
        documents = [self._corpus[n].passage.document_id for n in union]
        groups = [documents.index(one) for one in documents]
        near = neighbours(stored, worth, groups=groups, count=RerankSettings().neighbours)
        return late, {n: [(union[place], weight) for place, weight in of] for n, of in zip(union, near, strict=True)}


def scored(passage: Passage, score: float, scores: dict[str, float]) -> Passage:
    values = {name: getattr(passage, name) for name in Passage.__slots__}
    return Passage(**{**values, "score": score, "scores": scores})


def _dot(weights: dict[int, float], passage: SparseVector) -> float:
    return sum(weights.get(n, 0.0) * value for n, value in zip(passage.indices, passage.values, strict=True))
