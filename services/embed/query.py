"""A question as everything that searches for it: language, terms, dense and token vectors."""

import asyncio

from cortex.domain.encoding import Language
from cortex.domain.errors import Exhausted, Invalid
from cortex.domain.query import EncodedQuery
from cortex.domain.vector import SparseVector
from cortex.ports.embedder import Embedder
from cortex.ports.language_detector import LanguageDetector
from cortex.ports.sparse_encoder import SparseEncoder


class QueryEncoder:
    def __init__(
        self, *, embedder: Embedder, sparse: SparseEncoder, languages: LanguageDetector, characters_max: int
    ) -> None:
        self._embedder = embedder
        self._sparse = sparse
        self._languages = languages
        self._characters_max = characters_max

    async def encode(self, text: str) -> EncodedQuery:
        """Invalid for an empty question, Exhausted for a long one; the other errors are Embedder's."""
        if not text.strip():
            raise Invalid("query: empty")
        if len(text) > self._characters_max:
            raise Exhausted(f"query: {len(text)} characters, at most {self._characters_max}")
        # On a thread, since the first Chinese question loads a dictionary.
        language, sparse = await asyncio.to_thread(self._terms, text)
        model = self._embedder.model
        return EncodedQuery(
            sparse=sparse,
            language=language,
            tokens=await self._embedder.encode_query(text),
            model_key=model.key,
            supported=model.supports(language.code),
        )

    def _terms(self, text: str) -> tuple[Language, SparseVector]:
        language = self._languages.detect(text)
        return language, self._sparse.encode_query(text, language.candidates)
