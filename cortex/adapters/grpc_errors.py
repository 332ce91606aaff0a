"""Our errors as gRPC statuses, and back. The message travels as the detail, a delay as trailing metadata."""

from collections.abc import Iterable

import grpc

from cortex.domain.errors import Bug, Conflict, CortexError, Denied, Exhausted, Invalid, NotFound, Transient

RETRY_AFTER_KEY = "retry-after-ms"

Metadatum = tuple[str, str | bytes]

_STATUS: dict[type[CortexError], grpc.StatusCode] = {
    Invalid: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    Denied: grpc.StatusCode.PERMISSION_DENIED,
    Conflict: grpc.StatusCode.ABORTED,
    Transient: grpc.StatusCode.UNAVAILABLE,
    Exhausted: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Bug: grpc.StatusCode.INTERNAL,
}
_ERROR: dict[grpc.StatusCode, type[CortexError]] = {status: kind for kind, status in _STATUS.items()} | {
    grpc.StatusCode.UNAUTHENTICATED: Denied,
    grpc.StatusCode.DEADLINE_EXCEEDED: Transient,
    grpc.StatusCode.CANCELLED: Transient,
}


def status_of(error: CortexError) -> grpc.StatusCode:
    return _STATUS.get(type(error), grpc.StatusCode.INTERNAL)


def trailing_metadata(error: CortexError) -> tuple[Metadatum, ...]:
    if isinstance(error, Transient) and error.retry_after_s is not None:
        return ((RETRY_AFTER_KEY, str(round(error.retry_after_s * 1000))),)
    return ()


def error_of(failure: grpc.aio.AioRpcError, *, peer: str) -> CortexError:
    """`peer` names who answered. A status that no service of ours sends is a Bug."""
    kind = _ERROR.get(failure.code(), Bug)
    message = f"{peer}: {failure.details() or failure.code().name}"
    if kind is Transient:
        return Transient(message, retry_after_s=_retry_after_s(failure.trailing_metadata() or ()))
    return kind(message)


def _retry_after_s(metadata: Iterable[Metadatum]) -> float | None:
    for key, value in metadata:
        if key == RETRY_AFTER_KEY and str(value).isdecimal():
            return int(value) / 1000
    return None
