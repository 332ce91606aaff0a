"""A Generator for other processes."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing

import grpc

from cortex.adapters.generation.wire import part_message, passages_of
from cortex.domain.errors import Exhausted
from cortex.domain.identity import PersonId, TenantId
from cortex.ports.generator import GenerationRequest, Generator
from cortex.rpc.generation.v1 import generation_pb2, generation_pb2_grpc

CallerOf = Callable[[Mapping[str, str]], tuple[TenantId, PersonId]]
"""Reads a call's metadata; raises Denied."""


class GenerationRpc:
    """Each call is for the tenant and the person of its metadata, whatever its body says."""

    def __init__(self, generator: Generator, *, caller_of: CallerOf, passages_max: int) -> None:
        self._generator = generator
        self._caller_of = caller_of
        self._passages_max = passages_max

    async def Generate(
        self, request: generation_pb2.GenerateRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[generation_pb2.GeneratedPart]:
        tenant, person = self._caller_of(dict(context.invocation_metadata()))
        if len(request.passages) > self._passages_max:
            raise Exhausted(f"{len(request.passages)} passages in one call, at most {self._passages_max}")
        asked = GenerationRequest(tenant, person, request.question, passages_of(request))
        async with aclosing(self._generator.generate(asked)) as parts:
            async for part in parts:
                yield part_message(part)


def register(server: grpc.aio.Server, generator: Generator, *, caller_of: CallerOf, passages_max: int) -> None:
    servicer = GenerationRpc(generator, caller_of=caller_of, passages_max=passages_max)
    generation_pb2_grpc.add_GenerationServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
