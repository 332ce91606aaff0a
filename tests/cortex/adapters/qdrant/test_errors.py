"""Errors by what the caller should do."""

import grpc
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse

from cortex.adapters.qdrant import connect
from cortex.adapters.qdrant.errors import cortex_error, translated
from cortex.domain.errors import Bug, Denied, Exhausted, Invalid, NotFound, Transient
from tests.cortex.adapters.qdrant_edge.process import KEY


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, Invalid),
        (grpc.StatusCode.NOT_FOUND, NotFound),
        (grpc.StatusCode.UNAUTHENTICATED, Denied),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, Exhausted),
        (grpc.StatusCode.UNIMPLEMENTED, Bug),
        (grpc.StatusCode.UNAVAILABLE, Transient),
        (grpc.StatusCode.DEADLINE_EXCEEDED, Transient),
        (grpc.StatusCode.INTERNAL, Transient),
    ],
)
def test_codes(code: grpc.StatusCode, kind: type[Exception]) -> None:
    assert type(cortex_error(code)) is kind


def busy() -> None:
    raise ResourceExhaustedResponse("a secret of the server's", retry_after_s=3)


def test_a_busy_server_says_when_to_come_back() -> None:
    with pytest.raises(Transient, match="busy") as caught, translated():
        busy()
    assert caught.value.retry_after_s == 3.0


async def test_an_absent_server_is_transient(unused_tcp_port: int) -> None:
    async with connect(url=f"http://127.0.0.1:{unused_tcp_port}", key=KEY) as qdrant:
        with pytest.raises(Transient):
            await qdrant.collections().aliases()


@pytest.mark.parametrize("url", ["127.0.0.1:6334", "grpc://127.0.0.1:6334", "http://"])
async def test_an_address_without_scheme_or_host_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="expected http"):
        async with connect(url=url, key=None):
            pass
