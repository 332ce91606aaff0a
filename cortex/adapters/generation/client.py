"""The client of whoever answers questions in another process than the llm_gateway's."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cortex.adapters.generation.wire import part_of, passage_message
from cortex.adapters.grpc_errors import error_of
from cortex.adapters.telemetry import carried
from cortex.domain.answer import Sentence
from cortex.domain.errors import Transient
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.generator import Ending, GenerationRequest
from cortex.rpc.generation.v1 import generation_pb2, generation_pb2_grpc

log = logging.getLogger(__name__)

PEER = "llm_gateway"

Sign = Callable[[TenantId, PersonId], Sequence[tuple[str, str]]]
"""Makes the credential of a call."""


SignForTenant = Callable[[TenantId], Sequence[tuple[str, str]]]


class ContextsClient:
    """Implements Contextualiser over a channel to the llm_gateway. While that is away, passages go without."""

    def __init__(self, channel: grpc.aio.Channel, *, sign: SignForTenant, timeout_s: float) -> None:
        self._generation = generation_pb2_grpc.GenerationServiceStub(channel)  # type: ignore[no-untyped-call]
        self._sign = sign
        self._timeout_s = timeout_s

    async def contexts(self, tenant: TenantId, title: str, passages: Sequence[str]) -> list[str]:
        request = generation_pb2.ContextsRequest(title=title, passages=passages)
        metadata = (*self._sign(tenant), *carried().items())
        try:
            response = await self._generation.Contexts(request, timeout=self._timeout_s, metadata=metadata)
        except grpc.aio.AioRpcError as failure:
            error = error_of(failure, peer=PEER)
            if not isinstance(error, Transient):
                raise error from failure
            log.warning("passages go without context: %s", error)
            return [""] * len(passages)
        return list(response.contexts)


class GenerationClient:
    """Implements Generator over a channel to the llm_gateway."""

    def __init__(
        self, channel: grpc.aio.Channel, *, sign: Sign, timeout_s: float, probe_timeout_s: float = 5.0
    ) -> None:
        self._generation = generation_pb2_grpc.GenerationServiceStub(channel)  # type: ignore[no-untyped-call]
        self._health = health_pb2_grpc.HealthStub(channel)
        self._sign = sign
        self._timeout_s = timeout_s
        self._probe_timeout_s = probe_timeout_s

    async def ping(self) -> None:
        """Raises Transient when the process does not answer."""
        try:
            await self._health.Check(health_pb2.HealthCheckRequest(), timeout=self._probe_timeout_s)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure, peer=PEER) from failure

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        """What is not read yet is not sent: gRPC's flow control reaches back to the engine."""
        message = generation_pb2.GenerateRequest(
            question=request.question, passages=[passage_message(passage) for passage in request.passages]
        )
        metadata = (*self._sign(request.tenant, request.person), *carried().items())
        call = self._generation.Generate(message, timeout=self._timeout_s, metadata=metadata)
        try:
            async for part in call:
                yield part_of(part)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure, peer=PEER) from failure
        finally:
            call.cancel()
