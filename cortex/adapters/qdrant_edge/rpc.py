"""The gRPC side: the tables of calls as handlers, and the key that every call must bring."""

import hmac
from collections.abc import Awaitable, Callable
from functools import partial

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import collection_calls, reads, writes
from cortex.adapters.qdrant_edge.engine_thread import EngineThread
from cortex.adapters.qdrant_edge.method import Method, Methods
from cortex.adapters.qdrant_edge.probes import VERSION
from cortex.adapters.qdrant_edge.refusal import Refused
from cortex.adapters.qdrant_edge.store import Store

MESSAGE_BYTES_MAX = 64 * 1024 * 1024
CONCURRENT_CALLS_MAX = 1024
_OPEN_TO_ALL = "/grpc.health.v1.Health/"

TABLES: dict[str, Methods] = {
    "qdrant.Collections": collection_calls.METHODS,
    "qdrant.Points": {**reads.METHODS, **writes.METHODS},
}

Unary = Callable[[Message, grpc.aio.ServicerContext], Awaitable[Message]]


def _serialised(message: Message) -> bytes:
    return message.SerializeToString()


def _unary(described: Method, *, engine: EngineThread, store: Store) -> grpc.RpcMethodHandler:
    run = engine.change if described.changes else engine.run

    async def call(request: Message, context: grpc.aio.ServicerContext) -> Message:
        try:
            return await run(partial(described.answer, store, request))
        except Refused as refused:
            retry = () if refused.retry_after_s is None else (("retry-after", str(refused.retry_after_s)),)
            await context.abort(refused.code, str(refused), trailing_metadata=retry)
            raise

    return grpc.unary_unary_rpc_method_handler(
        call, request_deserializer=described.parse, response_serializer=_serialised
    )


async def _health_check(_request: Message, _context: grpc.aio.ServicerContext) -> Message:
    """Qdrant's own: liveness alone, so it does not wait for the engine."""
    return pb.HealthCheckReply(**VERSION)


class KeyInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpcio has no types
    """Refuses calls without the key, as `api-key` or as a bearer token; health checks need none."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._refusal = grpc.unary_unary_rpc_method_handler(self._refuse)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler:
        metadata = dict(handler_call_details.invocation_metadata)
        offered = metadata.get("api-key") or metadata.get("authorization", "").removeprefix("Bearer ")
        if handler_call_details.method.startswith(_OPEN_TO_ALL) or hmac.compare_digest(offered.encode(), self._key):
            return await continuation(handler_call_details)
        return self._refusal

    async def _refuse(self, _request: Message, context: grpc.aio.ServicerContext) -> Message:
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "Must provide an API key or an Authorization bearer token")
        raise AssertionError("abort returns to nobody")


def server(*, engine: EngineThread, store: Store, key: str) -> grpc.aio.Server:
    """A server that is neither bound nor started. Calls outside the tables are UNIMPLEMENTED."""
    made = grpc.aio.server(
        interceptors=[KeyInterceptor(key)],
        options=[
            ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
            ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
            ("grpc.so_reuseport", 0),
        ],
        maximum_concurrent_rpcs=CONCURRENT_CALLS_MAX,
    )
    for service, methods in TABLES.items():
        handlers = {name: _unary(described, engine=engine, store=store) for name, described in methods.items()}
        made.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    version = grpc.unary_unary_rpc_method_handler(
        _health_check,
        request_deserializer=pb.HealthCheckRequest.FromString,
        response_serializer=_serialised,
    )
    made.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("qdrant.Qdrant", {"HealthCheck": version}),))
    return made


async def add_health(made: grpc.aio.Server) -> health.aio.HealthServicer:
    """grpc.health.v1, serving from the start: the port is opened only after every shard is loaded."""
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, made)
    for service in ("", *TABLES):
        await servicer.set(service, health_pb2.HealthCheckResponse.SERVING)
    return servicer
