"""The question's encoding: from the models process, or terms alone made here when it cannot be asked."""

import asyncio
from dataclasses import replace

from cortex.domain.errors import Exhausted, Transient
from cortex.domain.identity import TenantId
from cortex.domain.query import EncodedQuery, Mode
from cortex.ports.language_detector import LanguageDetector
from cortex.ports.query_models import QueryModels
from cortex.ports.sparse_encoder import SparseEncoder
from services.query_gateway.deadline import within
from services.query_gateway.synonyms import Synonyms, widened


class QueryEncoder:
    """Terms need no model, so a search never fails because the model is away."""

    def __init__(
        self,
        *,
        models: QueryModels,
        terms: SparseEncoder,
        languages: LanguageDetector,
        synonyms: Synonyms,
        timeout_s: float,
    ) -> None:
        self._models = models
        self._terms = terms
        self._languages = languages
        self._synonyms = synonyms
        self._timeout_s = timeout_s

    async def encode(self, tenant: TenantId, text: str, mode: Mode) -> EncodedQuery:
        """`tokens` is None in lexical mode and wherever the models process failed or was late.

        Words that the tenant calls the same are terms as well, with less weight.
        """
        same = await self._synonyms.of(tenant, text)
        encoded = await self._encoded(tenant, text, mode)
        if not same:
            return encoded
        more = await asyncio.to_thread(self._terms.encode_query, " ".join(same), encoded.language.candidates)
        return replace(encoded, sparse=widened(encoded.sparse, more))

    async def _encoded(self, tenant: TenantId, text: str, mode: Mode) -> EncodedQuery:
        if mode is Mode.LEXICAL:
            return await asyncio.to_thread(self._terms_alone, text)
        try:
            async with within(self._timeout_s, "the models process"):
                return await self._models.encode_query(tenant, text)
        except (Transient, Exhausted):
            return await asyncio.to_thread(self._terms_alone, text)

    def _terms_alone(self, text: str) -> EncodedQuery:
        language = self._languages.detect(text)
        return EncodedQuery(sparse=self._terms.encode_query(text, language.candidates), language=language)
