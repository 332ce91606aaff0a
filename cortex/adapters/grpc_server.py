"""A gRPC server: bound, health-checked, traced, with our errors as statuses."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from cortex.adapters.grpc_errors import status_of, trailing_metadata
from cortex.adapters.telemetry import server_span, stream_span
from cortex.domain.errors import CortexError, Transient

Register = Callable[[grpc.aio.Server], None]

_PROBES = "/grpc.health."
_SERVING = health_pb2.HealthCheckResponse.SERVING


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcServerSettings:
    """`address` is `host:port`; port 0 takes a free one."""

    address: str
    message_bytes_max: int = 16 * 1024 * 1024
    concurrent_calls_max: int = 256
    grace_s: float = 5.0


@asynccontextmanager
async def serving(settings: GrpcServerSettings, services: Sequence[Register]) -> AsyncIterator[int]:
    """A server that answers; gives its port. On leaving it says NOT_SERVING and finishes calls within the grace."""
    server = grpc.aio.server(
        interceptors=[_Edge()],
        options=[
            ("grpc.max_receive_message_length", settings.message_bytes_max),
            ("grpc.max_send_message_length", settings.message_bytes_max),
            # Two processes on one port would share the calls by chance.
            ("grpc.so_reuseport", 0),
        ],
        maximum_concurrent_rpcs=settings.concurrent_calls_max,
    )
    for register in services:
        register(server)
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    try:
        port: int = server.add_insecure_port(settings.address)
    except RuntimeError as error:
        raise Transient(f"cannot listen at {settings.address}: is the port taken?") from error
    await server.start()
    await checks.set("", _SERVING)
    try:
        yield port
    finally:
        await checks.enter_graceful_shutdown()
        await server.stop(settings.grace_s)


class _Edge(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpc is untyped
    """A span goes on with the caller's trace, and a CortexError becomes its status.

    Anything else is left to gRPC, which answers UNKNOWN and logs it. Probes are not traced.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler:
        handler = await continuation(handler_call_details)
        method = str(handler_call_details.method)
        if handler is None or handler.request_streaming or method.startswith(_PROBES):
            return handler
        codec = {
            "request_deserializer": handler.request_deserializer,
            "response_serializer": handler.response_serializer,
        }
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(_streaming(handler.unary_stream, method), **codec)
        return grpc.unary_unary_rpc_method_handler(_single(handler.unary_unary, method), **codec)


def _single(answer: Callable[..., Awaitable[Any]], method: str) -> Callable[..., Awaitable[Any]]:
    async def guarded(request: object, context: grpc.aio.ServicerContext) -> object:
        try:
            with server_span(_headers(context), _name(method), rpc=method):
                return await answer(request, context)
        except CortexError as error:
            # Raises, always.
            return await context.abort(status_of(error), str(error), trailing_metadata(error))

    return guarded


def _streaming(answers: Callable[..., AsyncIterator[Any]], method: str) -> Callable[..., AsyncIterator[Any]]:
    async def guarded(request: object, context: grpc.aio.ServicerContext) -> AsyncIterator[object]:
        try:
            with stream_span(_headers(context), _name(method), rpc=method):
                async for answer in answers(request, context):
                    yield answer
        except CortexError as error:
            await context.abort(status_of(error), str(error), trailing_metadata(error))

    return guarded


def _headers(context: grpc.aio.ServicerContext) -> dict[str, str]:
    return {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}


def _name(method: str) -> str:
    """`/cortex.rpc.models.v1.RerankService/Score` reads `RerankService/Score`."""
    service, _, call = method.removeprefix("/").rpartition("/")
    return f"{service.rpartition('.')[2]}/{call}"
