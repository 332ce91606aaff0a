"""Every error of ours survives the way through a status."""

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from cortex.adapters.grpc_errors import error_of, status_of, trailing_metadata
from cortex.domain.errors import Bug, Conflict, CortexError, Denied, Exhausted, Invalid, NotFound, Transient


def failure(code: grpc.StatusCode, *, details: str = "why", trailing: tuple[tuple[str, str], ...] = ()) -> AioRpcError:
    return AioRpcError(code, Metadata(), Metadata(*trailing), details=details)


@pytest.mark.parametrize("kind", [Invalid, NotFound, Denied, Conflict, Transient, Exhausted, Bug])
def test_there_and_back(kind: type[CortexError]) -> None:
    error = error_of(failure(status_of(kind("why"))), peer="embed")
    assert type(error) is kind
    assert str(error) == "embed: why"


def test_a_delay_travels_along() -> None:
    trailing = trailing_metadata(Transient("later", retry_after_s=0.25))
    assert trailing == (("retry-after-ms", "250"),)
    error = error_of(failure(grpc.StatusCode.UNAVAILABLE, trailing=(("retry-after-ms", "250"),)), peer="embed")
    assert isinstance(error, Transient)
    assert error.retry_after_s == 0.25
    assert trailing_metadata(Transient("later")) == ()


@pytest.mark.parametrize("value", ["soon", "-1", ""])
def test_a_delay_that_is_none_is_left_out(value: str) -> None:
    error = error_of(failure(grpc.StatusCode.UNAVAILABLE, trailing=(("retry-after-ms", value),)), peer="embed")
    assert isinstance(error, Transient)
    assert error.retry_after_s is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.DEADLINE_EXCEEDED, Transient),
        (grpc.StatusCode.CANCELLED, Transient),
        (grpc.StatusCode.UNAUTHENTICATED, Denied),
        (grpc.StatusCode.UNKNOWN, Bug),
        (grpc.StatusCode.DATA_LOSS, Bug),
    ],
)
def test_statuses_that_grpc_itself_gives(code: grpc.StatusCode, kind: type[CortexError]) -> None:
    assert type(error_of(failure(code, details=""), peer="embed")) is kind
