"""The models process over gRPC: messages to values and back, and the client of the hot path."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cortex.adapters.grpc_errors import error_of
from cortex.adapters.telemetry import carried, client_span
from cortex.domain.encoding import Language, QueryEncoding, pack_token_ids, unpack_token_ids
from cortex.domain.errors import Denied, Invalid
from cortex.domain.identity import TenantId
from cortex.domain.query import EncodedQuery
from cortex.domain.vector import SparseVector
from cortex.ports.reranker import Late
from cortex.rpc.models.v1 import models_pb2, models_pb2_grpc

Answer = TypeVar("Answer")

TENANT_KEY = "cortex-tenant"

Metadata = Sequence[tuple[str, str]]


def plain_metadata(tenant: TenantId) -> Metadata:
    """The tenant unsigned: for a channel that ends in the same trust, and for tests."""
    return ((TENANT_KEY, str(tenant)),)


def plain_tenant(metadata: Mapping[str, str]) -> TenantId:
    """The other end of `plain_metadata`."""
    try:
        return TenantId(uuid.UUID(metadata[TENANT_KEY]))
    except (KeyError, ValueError) as error:
        raise Denied(f"metadata {TENANT_KEY}: expected a tenant's id") from error


class ModelsClient:
    """Implements QueryModels over a channel to the models process. `metadata` makes the credential of each call."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        *,
        timeout_s: float = 5.0,
        metadata: Callable[[TenantId], Metadata] = plain_metadata,
    ) -> None:
        self._embed = models_pb2_grpc.EmbedServiceStub(channel)  # type: ignore[no-untyped-call]
        self._rerank = models_pb2_grpc.RerankServiceStub(channel)  # type: ignore[no-untyped-call]
        self._health = health_pb2_grpc.HealthStub(channel)
        self._timeout_s = timeout_s
        self._metadata = metadata

    async def ping(self) -> None:
        """Raises Transient when the process does not answer."""
        try:
            await self._health.Check(health_pb2.HealthCheckRequest(), timeout=self._timeout_s)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure, peer="models") from failure

    async def encode_query(self, tenant: TenantId, text: str) -> EncodedQuery:
        response = await self._call(self._embed.EncodeQuery, models_pb2.EncodeQueryRequest(text=text), tenant)
        return EncodedQuery(
            sparse=SparseVector(tuple(response.sparse.indices), tuple(response.sparse.values)),
            language=Language(response.language, tuple(response.languages)),
            tokens=QueryEncoding(
                dense=response.tokens.dense,
                token_vectors=response.tokens.token_vectors,
                token_ids=unpack_token_ids(response.tokens.token_ids),
            ),
            model_key=response.model.key,
            supported=response.supported,
        )

    async def score(
        self, tenant: TenantId, *, query: EncodedQuery, embedded_sha256s: Sequence[str], groups: Sequence[int] = ()
    ) -> Late:
        if query.tokens is None:
            raise Invalid("score: the query has no token vectors")
        request = models_pb2.ScoreRequest(
            query=models_pb2.QueryTokens(
                dense=query.tokens.dense,
                token_vectors=query.tokens.token_vectors,
                token_ids=pack_token_ids(query.tokens.token_ids),
            ),
            model_key=query.model_key,
            embedded_sha256=embedded_sha256s,
            groups=groups,
        )
        response = await self._call(self._rerank.Score, request, tenant)
        return Late(
            tuple(score.value if score.HasField("value") else None for score in response.scores),
            tuple(tuple(zip(near.places, near.weights, strict=True)) for near in response.neighbours),
        )

    async def score_texts(self, tenant: TenantId, *, query: str, passages: Sequence[str]) -> list[float | None]:
        request = models_pb2.ScoreTextsRequest(query=query, passages=passages)
        response = await self._call(self._rerank.ScoreTexts, request, tenant)
        return [score.value if score.HasField("value") else None for score in response.scores]

    async def _call(self, method: Callable[..., Awaitable[Answer]], request: object, tenant: TenantId) -> Answer:
        """Signed for the tenant, and part of the current trace."""
        with client_span("models", tenant_id=str(tenant)):
            metadata = (*self._metadata(tenant), *carried().items())
            try:
                return await method(request, timeout=self._timeout_s, metadata=metadata)
            except grpc.aio.AioRpcError as failure:
                raise error_of(failure, peer="models") from failure


def models_channel(address: str, *, message_bytes_max: int = 16 * 1024 * 1024) -> grpc.aio.Channel:
    """A channel that a restarted process is found again through within moments."""
    return grpc.aio.insecure_channel(
        address.removeprefix("grpc://"),
        options=[
            ("grpc.max_receive_message_length", message_bytes_max),
            ("grpc.max_send_message_length", message_bytes_max),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1_000),
        ],
    )
