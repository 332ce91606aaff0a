"""A Generator for other processes."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

import grpc

from cortex.adapters.generation.wire import part_message, passages_of
from cortex.domain.errors import Exhausted
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.contextualiser import Contextualiser
from cortex.ports.generator import GenerationRequest, Generator
from cortex.rpc.generation.v1 import generation_pb2, generation_pb2_grpc


class Callers(Protocol):
    """Reads a call's metadata. Raises Denied."""

    def tenant(self, metadata: Mapping[str, str]) -> TenantId: ...

    def caller(self, metadata: Mapping[str, str]) -> tuple[TenantId, PersonId]: ...


@dataclass(frozen=True, slots=True)
class Served:
    generator: Generator
    contextualiser: Contextualiser


class GenerationRpc:
    """Each call is for the tenant and the person of its metadata, whatever its body says."""

    def __init__(self, served: Served, *, callers: Callers, passages_max: int) -> None:
        self._served = served
        self._callers = callers
        self._passages_max = passages_max

    async def Generate(
        self, request: generation_pb2.GenerateRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[generation_pb2.GeneratedPart]:
        tenant, person = self._callers.caller(dict(context.invocation_metadata()))
        if len(request.passages) > self._passages_max:
            raise Exhausted(f"{len(request.passages)} passages in one call, at most {self._passages_max}")
        asked = GenerationRequest(tenant, person, request.question, passages_of(request))
        async with aclosing(self._served.generator.generate(asked)) as parts:
            async for part in parts:
                yield part_message(part)

    async def Contexts(
        self, request: generation_pb2.ContextsRequest, context: grpc.aio.ServicerContext
    ) -> generation_pb2.ContextsResponse:
        tenant = self._callers.tenant(dict(context.invocation_metadata()))
        contexts = await self._served.contextualiser.contexts(tenant, request.title, list(request.passages))
        return generation_pb2.ContextsResponse(contexts=contexts)


def register(server: grpc.aio.Server, served: Served, *, callers: Callers, passages_max: int) -> None:
    servicer = GenerationRpc(served, callers=callers, passages_max=passages_max)
    generation_pb2_grpc.add_GenerationServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
