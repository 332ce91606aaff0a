"""SourceTypesService over gRPC, both ends: the connectors know the types, administration may be another process."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cortex.adapters.grpc_errors import error_of
from cortex.domain.errors import Invalid
from cortex.ports.source_types import SourceTypes
from cortex.rpc.sources.v1 import sources_pb2, sources_pb2_grpc

PEER = "connectors"
Answer = TypeVar("Answer")

Sign = Callable[[], Sequence[tuple[str, str]]]
"""Makes the credential of a call. Types are the same for every tenant."""

Check = Callable[[Mapping[str, str]], object]
"""Looks at a call's metadata; raises Denied."""


class SourceTypesClient:
    """Implements SourceTypes over a channel to the connectors."""

    def __init__(self, channel: grpc.aio.Channel, *, sign: Sign, timeout_s: float) -> None:
        self._types = sources_pb2_grpc.SourceTypesServiceStub(channel)  # type: ignore[no-untyped-call]
        self._health = health_pb2_grpc.HealthStub(channel)
        self._sign = sign
        self._timeout_s = timeout_s

    async def ping(self) -> None:
        """Raises Transient when the process does not answer."""
        await self._call(self._health.Check, health_pb2.HealthCheckRequest())

    async def check(self, type_: str, config: Mapping[str, object]) -> list[str]:
        request = sources_pb2.CheckRequest(type=type_, config=json.dumps(dict(config), ensure_ascii=False))
        return list((await self._call(self._types.Check, request)).warnings)

    async def secrets(self, type_: str) -> frozenset[str]:
        return frozenset((await self._call(self._types.Secrets, sources_pb2.SecretsRequest(type=type_))).names)

    async def _call(self, method: Callable[..., Awaitable[Answer]], request: object) -> Answer:
        try:
            return await method(request, timeout=self._timeout_s, metadata=self._sign())
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure, peer=PEER) from failure


class SourceTypesRpc:
    def __init__(self, types: SourceTypes, *, check: Check) -> None:
        self._types = types
        self._check = check

    async def Check(
        self, request: sources_pb2.CheckRequest, context: grpc.aio.ServicerContext
    ) -> sources_pb2.CheckResponse:
        self._check(dict(context.invocation_metadata()))
        try:
            config = json.loads(request.config)
        except ValueError as error:
            raise Invalid("config: expected one JSON object") from error
        if not isinstance(config, dict):
            raise Invalid("config: expected one JSON object")
        return sources_pb2.CheckResponse(warnings=await self._types.check(request.type, config))

    async def Secrets(
        self, request: sources_pb2.SecretsRequest, context: grpc.aio.ServicerContext
    ) -> sources_pb2.SecretsResponse:
        self._check(dict(context.invocation_metadata()))
        return sources_pb2.SecretsResponse(names=sorted(await self._types.secrets(request.type)))


def register(server: grpc.aio.Server, types: SourceTypes, *, check: Check) -> None:
    sources_pb2_grpc.add_SourceTypesServiceServicer_to_server(SourceTypesRpc(types, check=check), server)  # type: ignore[no-untyped-call]
