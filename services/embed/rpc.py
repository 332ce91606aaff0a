"""The embed gateway for other processes: EmbedService of proto/cortex/rpc/models/v1/models.proto."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import grpc

from cortex.domain.encoding import ModelCard, PassageEncoding, pack_token_ids
from cortex.domain.errors import Bug, Exhausted
from cortex.domain.identity import TenantId
from cortex.domain.query import EncodedQuery
from cortex.domain.vector import SparseVector
from cortex.rpc.models.v1 import models_pb2
from services.embed.passages import Passage, PassageEncoder, Terms
from services.embed.query import QueryEncoder

PASSAGES_AT_ONCE = 16

TenantOf = Callable[[Mapping[str, str]], TenantId]
"""Reads a call's metadata; raises Denied."""


class EmbedRpc:
    def __init__(
        self, *, queries: QueryEncoder, passages: PassageEncoder, tenant_of: TenantOf, passages_max: int
    ) -> None:
        self._queries = queries
        self._passages = passages
        self._tenant_of = tenant_of
        self._passages_max = passages_max

    async def EncodeQuery(
        self, request: models_pb2.EncodeQueryRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.EncodeQueryResponse:
        self._tenant_of(dict(context.invocation_metadata()))
        return query_message(await self._queries.encode(request.text), self._passages.model)

    async def EncodePassages(
        self, request: models_pb2.EncodePassagesRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[models_pb2.EncodedPassage]:
        """A few at a time, so that one call never fills the queue and a caller who leaves stops the rest."""
        self._tenant_of(dict(context.invocation_metadata()))
        if len(request.passages) > self._passages_max:
            raise Exhausted(f"{len(request.passages)} passages in one call, at most {self._passages_max}")
        passages = [Passage(passage.text, passage.language) for passage in request.passages]
        for start in range(0, len(passages), PASSAGES_AT_ONCE):
            some = passages[start : start + PASSAGES_AT_ONCE]
            vectors = await self._passages.vectors([passage.text for passage in some])
            for encoding, terms in zip(vectors, await self._passages.terms(some), strict=True):
                yield passage_message(encoding, terms)


def query_message(query: EncodedQuery, model: ModelCard) -> models_pb2.EncodeQueryResponse:
    if query.tokens is None:
        raise Bug("a question was encoded without its vectors")
    return models_pb2.EncodeQueryResponse(
        model=models_pb2.Model(
            name=model.name,
            revision=model.revision,
            sha256=model.sha256,
            dimensions=model.dimensions,
            tokens_max=model.tokens_max,
            languages=sorted(model.languages),
            key=model.key,
        ),
        tokens=models_pb2.QueryTokens(
            dense=query.tokens.dense,
            token_vectors=query.tokens.token_vectors,
            token_ids=pack_token_ids(query.tokens.token_ids),
        ),
        sparse=_sparse_message(query.sparse),
        language=query.language.code,
        languages=query.language.candidates,
        supported=query.supported,
    )


def passage_message(encoding: PassageEncoding, terms: Terms) -> models_pb2.EncodedPassage:
    return models_pb2.EncodedPassage(
        dense=encoding.dense,
        token_bits=encoding.stored.token_bits,
        token_ids=pack_token_ids(encoding.stored.token_ids),
        sparse=_sparse_message(terms.sparse),
        language=terms.language,
        truncated=encoding.truncated,
    )


def _sparse_message(sparse: SparseVector) -> models_pb2.SparseVector:
    indices: Sequence[int] = sparse.indices
    return models_pb2.SparseVector(indices=indices, values=sparse.values)
