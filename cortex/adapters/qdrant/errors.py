"""Errors of Qdrant's client as Cortex's. The server's own words stay in the cause: they may quote a value."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import grpc
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse

from cortex.domain.errors import Bug, Conflict, CortexError, Denied, Exhausted, Invalid, NotFound, Transient

RETRY_AFTER_S = 1.0

_KINDS: Mapping[grpc.StatusCode, tuple[type[CortexError], str]] = {
    grpc.StatusCode.INVALID_ARGUMENT: (Invalid, "the vector index refused a value"),
    grpc.StatusCode.OUT_OF_RANGE: (Invalid, "the vector index refused a value"),
    grpc.StatusCode.NOT_FOUND: (NotFound, "the vector index has no such collection or point"),
    grpc.StatusCode.ALREADY_EXISTS: (Conflict, "the vector index already has that collection"),
    grpc.StatusCode.FAILED_PRECONDITION: (Conflict, "the vector index is not in the state that the call needs"),
    grpc.StatusCode.UNAUTHENTICATED: (Denied, "the vector index refused the key"),
    grpc.StatusCode.PERMISSION_DENIED: (Denied, "the vector index refused the key"),
    # With a hint when to come back it is a full queue, and the client raises an exception of its own for it.
    grpc.StatusCode.RESOURCE_EXHAUSTED: (Exhausted, "a message is larger than the vector index takes"),
    grpc.StatusCode.UNIMPLEMENTED: (Bug, "the vector index does not serve a call that this version makes"),
}


def cortex_error(code: grpc.StatusCode) -> CortexError:
    """What a caller should do about `code`. Whatever is not listed may pass: the server restarts, the disk is freed."""
    if code in _KINDS:
        kind, message = _KINDS[code]
        return kind(message)
    return Transient(f"the vector index does not answer ({code.name})", retry_after_s=RETRY_AFTER_S)


@contextmanager
def translated() -> Iterator[None]:
    """Raise Cortex's errors for those of the calls within."""
    try:
        yield
    except ResourceExhaustedResponse as error:
        raise Transient("the vector index is busy", retry_after_s=float(error.retry_after_s)) from error
    except grpc.aio.AioRpcError as error:
        raise cortex_error(error.code()) from error
