"""Passages to vectors. Dense and token vectors are costly and kept by content; terms are cheap and made anew."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.encoding import ModelCard, PassageEncoding
from cortex.domain.errors import Exhausted
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import SparseVector
from cortex.ports.embedder import Embedder
from cortex.ports.language_detector import LanguageDetector
from cortex.ports.sparse_encoder import SparseEncoder


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is what the encoders see: title, heading path and passage. An empty `language` is detected."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """`length`: how many terms the passage has."""

    sparse: SparseVector
    language: str
    length: int


class PassageEncoder:
    def __init__(
        self, *, embedder: Embedder, sparse: SparseEncoder, languages: LanguageDetector, characters_max: int
    ) -> None:
        self._embedder = embedder
        self._sparse = sparse
        self._languages = languages
        self._characters_max = characters_max

    @property
    def model(self) -> ModelCard:
        """Vectors are looked up, before they are made anew, under its `key`."""
        return self._embedder.model

    @property
    def sparse_version(self) -> str:
        return self._sparse.version

    async def vectors(self, texts: Sequence[str]) -> list[PassageEncoding]:
        """In order. Errors as Embedder's, and Exhausted for a text that no chunk could be."""
        for n, text in enumerate(texts):
            if len(text) > self._characters_max:
                raise Exhausted(f"passage {n}: {len(text)} characters, at most {self._characters_max}")
        return await self._embedder.encode_passages(texts)

    async def terms(self, passages: Sequence[Passage], *, average_terms: float = AVERAGE_TERMS) -> list[Terms]:
        """In order; on a thread, since a long batch would hold up everyone."""
        return await asyncio.to_thread(lambda: [self._terms_of(passage, average_terms) for passage in passages])

    def _terms_of(self, passage: Passage, average_terms: float) -> Terms:
        text = passage.text[: self._characters_max]
        language = passage.language or self._languages.detect(text).code
        found = self._sparse.encode_passage(text, language, average_terms=average_terms)
        return Terms(found.sparse, language, found.length)
