"""What the server answers when it does not do what was asked, with the codes of Qdrant's own server."""

import re

import grpc
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet


class Refused(Exception):
    """Becomes the status of the call. `retry_after_s` travels as metadata, as Qdrant's does."""

    def __init__(self, code: grpc.StatusCode, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s


def invalid(message: str) -> Refused:
    return Refused(grpc.StatusCode.INVALID_ARGUMENT, f"Wrong input: {message}")


def not_found(message: str) -> Refused:
    return Refused(grpc.StatusCode.NOT_FOUND, f"Not found: {message}")


def unimplemented(message: str) -> Refused:
    return Refused(grpc.StatusCode.UNIMPLEMENTED, f"{message} is not served by qdrant_edge")


def honours(message: Message, *fields: str) -> None:
    """Refuse a message with any set field that the caller would otherwise silently ignore."""
    for descriptor, _ in message.ListFields():
        if descriptor.name not in fields:
            raise unimplemented(f"{message.DESCRIPTOR.name}.{descriptor.name}")
    if len(UnknownFieldSet(message)):
        raise unimplemented(f"a field of {message.DESCRIPTOR.name} that is newer than this server")


# The engine raises bare exceptions: what went wrong is in the text alone. Pinned to qdrant-edge-py 0.9.0.
_ENGINE_ERRORS: tuple[tuple[re.Pattern[str], grpc.StatusCode], ...] = (
    (re.compile(r"No point with id "), grpc.StatusCode.NOT_FOUND),
    (re.compile(r"Vector dimension error: "), grpc.StatusCode.INVALID_ARGUMENT),
    (re.compile(r"Not existing vector name error: "), grpc.StatusCode.INVALID_ARGUMENT),
    (re.compile(r"Wrong usage of "), grpc.StatusCode.INVALID_ARGUMENT),
    (re.compile(r"No appropriate index "), grpc.StatusCode.INVALID_ARGUMENT),
    (re.compile(r"(Bad request|Wrong input|Validation)"), grpc.StatusCode.INVALID_ARGUMENT),
)


def from_engine(error: Exception) -> Refused:
    """Translate an error of the engine, or of ours, to the status that Qdrant's server gives."""
    if isinstance(error, Refused):
        return error
    text = str(error)
    if type(error) is Exception:
        for pattern, code in _ENGINE_ERRORS:
            if pattern.match(text):
                return Refused(code, text)
    return Refused(grpc.StatusCode.INTERNAL, f"Service internal error: {type(error).__name__}: {text}")
