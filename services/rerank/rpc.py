"""Reranking for other processes: RerankService of proto/cortex/rpc/models/v1/models.proto."""

from collections.abc import Callable, Mapping, Sequence

import grpc

from cortex.domain.encoding import QueryEncoding, unpack_token_ids
from cortex.domain.errors import Invalid
from cortex.domain.identity import TenantId
from cortex.ports.reranker import Reranker
from cortex.rpc.models.v1 import models_pb2
from services.rerank.cross import Budgeted

TenantOf = Callable[[Mapping[str, str]], TenantId]
"""Reads a call's metadata; raises Denied."""


class RerankRpc:
    def __init__(self, reranker: Reranker, cross: Budgeted | None, *, tenant_of: TenantOf) -> None:
        self._reranker = reranker
        self._cross = cross
        self._tenant_of = tenant_of

    async def Score(
        self, request: models_pb2.ScoreRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.ScoreResponse:
        late = await self._reranker.score(
            self._tenant_of(dict(context.invocation_metadata())),
            query=QueryEncoding(
                dense=request.query.dense,
                token_vectors=request.query.token_vectors,
                token_ids=unpack_token_ids(request.query.token_ids),
            ),
            model_key=request.model_key,
            embedded_sha256s=list(request.embedded_sha256),
            groups=list(request.groups),
        )
        return models_pb2.ScoreResponse(
            scores=[models_pb2.ScoreResponse.Score(value=score) for score in late.scores],
            neighbours=[_neighbours(near) for near in late.neighbours],
        )

    async def ScoreTexts(
        self, request: models_pb2.ScoreTextsRequest, context: grpc.aio.ServicerContext
    ) -> models_pb2.ScoreTextsResponse:
        self._tenant_of(dict(context.invocation_metadata()))
        if self._cross is None:
            raise Invalid("no cross-encoder is configured; set CORTEX_RERANKER for this process too")
        scores = await self._cross.score(request.query, list(request.passages))
        return models_pb2.ScoreTextsResponse(scores=[models_pb2.ScoreResponse.Score(value=score) for score in scores])


def _neighbours(near: Sequence[tuple[int, float]]) -> models_pb2.ScoreResponse.Neighbours:
    return models_pb2.ScoreResponse.Neighbours(
        places=[place for place, _ in near], weights=[weight for _, weight in near]
    )
