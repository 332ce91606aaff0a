"""SpiceDB's gRPC API over TCP: bytes are passed through, unary calls to the library, streams to its socket."""

import hmac
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from cortex.adapters.spicedb_local.consistency import Settling
from cortex.adapters.spicedb_local.engine import UNARY_FUNCTIONS, Engine
from cortex.adapters.spicedb_local.library import EngineError
from cortex.domain.errors import Transient

THREADS = 16
STREAM_S_MAX = 300.0
MESSAGE_BYTES_MAX = 16 * 1024 * 1024
_PERMISSIONS = "authzed.api.v1.PermissionsService"
_SCHEMA = "authzed.api.v1.SchemaService"
_HEALTH_PREFIX = "/grpc.health.v1.Health/"
_STREAMING_METHODS = ("ReadRelationships", "LookupResources", "LookupSubjects")
_SCHEMA_METHODS = ("WriteSchema", "ReadSchema")
_ERROR_TEXT = re.compile(r"^rpc error: code = (?P<code>\w+) desc = (?P<text>.*)$", re.DOTALL)
_CODES = {re.sub("_", "", code.name).lower(): code for code in grpc.StatusCode}

Continuation = Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler | None]


def status_of(text: str) -> tuple[grpc.StatusCode, str]:
    """The engine's error text as a status: without this, clients would see UNKNOWN for everything."""
    match = _ERROR_TEXT.match(text)
    if match is None:
        return grpc.StatusCode.UNKNOWN, text
    return _CODES.get(match["code"].lower(), grpc.StatusCode.UNKNOWN), match["text"]


class KeyInterceptor(grpc.ServerInterceptor):  # type: ignore[misc]
    """Refuses calls without the preshared key; the health check alone is open."""

    def __init__(self, key: str) -> None:
        self._expected = f"Bearer {key}".encode()

    def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler | None:
        if handler_call_details.method.startswith(_HEALTH_PREFIX):
            return continuation(handler_call_details)
        given = dict(handler_call_details.invocation_metadata).get("authorization", "")
        given_bytes = given if isinstance(given, bytes) else given.encode()
        if hmac.compare_digest(given_bytes, self._expected):
            return continuation(handler_call_details)
        code = grpc.StatusCode.PERMISSION_DENIED if given else grpc.StatusCode.UNAUTHENTICATED
        handler = continuation(handler_call_details)
        return _refusal(code, streams=handler is not None and handler.response_streaming)


class LocalServer:
    """Made when the engine is complete. Binds when `start` is called, and not before."""

    def __init__(self, engine: Engine, *, key: str) -> None:
        self._streams = grpc.insecure_channel(engine.streaming_address, options=_channel_options())
        self._server = grpc.server(
            ThreadPoolExecutor(THREADS, thread_name_prefix="spicedb"),
            interceptors=[KeyInterceptor(key)],
            # Without this a second server could share the port, and requests would go to either.
            options=[*_channel_options(), ("grpc.so_reuseport", 0)],
        )
        settling = Settling()
        unary = {name: _unary(engine, name, settling=settling) for name in UNARY_FUNCTIONS}
        schema = {name: unary.pop(name) for name in _SCHEMA_METHODS}
        streaming = {name: _streaming(self._streams, name, settling=settling) for name in _STREAMING_METHODS}
        healthy = health.HealthServicer()
        healthy.set("", health_pb2.HealthCheckResponse.SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(healthy, self._server)
        self._server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(_PERMISSIONS, unary | streaming),
                grpc.method_handlers_generic_handler(_SCHEMA, schema),
            )
        )

    def start(self, port: int) -> int:
        """Listens on loopback and gives the port (a free one for 0)."""
        try:
            bound = int(self._server.add_insecure_port(f"127.0.0.1:{port}"))
        except RuntimeError as error:
            raise Transient(f"port {port} cannot be bound: is it taken?") from error
        self._server.start()
        return bound

    def stop(self, *, grace_s: float) -> None:
        self._server.stop(grace_s).wait()
        self._streams.close()


def _channel_options() -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
        ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    ]


def _unary(engine: Engine, method: str, *, settling: Settling) -> grpc.RpcMethodHandler:
    def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            return engine.call(method, settling.adjust(method, request))
        except EngineError as error:
            code, text = status_of(str(error))
            context.set_code(code)
            context.set_details(text)
            return b""

    return grpc.unary_unary_rpc_method_handler(handle)


def _streaming(channel: grpc.Channel, method: str, *, settling: Settling) -> grpc.RpcMethodHandler:
    forward = channel.unary_stream(f"/{_PERMISSIONS}/{method}")

    def handle(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        # A call without a deadline claims to have centuries, which the next hop would overflow.
        call = forward(
            settling.adjust(method, request), timeout=min(context.time_remaining() or STREAM_S_MAX, STREAM_S_MAX)
        )
        context.add_callback(call.cancel)  # the client went away: the engine need not go on
        try:
            yield from call
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())

    return grpc.unary_stream_rpc_method_handler(handle)


def _refusal(code: grpc.StatusCode, *, streams: bool) -> grpc.RpcMethodHandler:
    def refuse(_request: bytes, context: grpc.ServicerContext) -> None:
        context.abort(code, "the preshared key is missing or wrong")

    return grpc.unary_stream_rpc_method_handler(refuse) if streams else grpc.unary_unary_rpc_method_handler(refuse)
