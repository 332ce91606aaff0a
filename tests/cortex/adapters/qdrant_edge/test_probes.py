"""The HTTP side as a pure function."""

from http import HTTPStatus

import pytest

from cortex.adapters.qdrant_edge.probes import answer

HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})


def status(request: str, *, is_ready: bool = True) -> HTTPStatus:
    return answer(request, hosts=HOSTS, is_ready=is_ready)[0]


@pytest.mark.parametrize("host", ["localhost", "localhost:6333", "127.0.0.1:1", "LOCALHOST", "[::1]:6333", "[::1]"])
def test_loopback_names_are_answered(host: str) -> None:
    assert status(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n") is HTTPStatus.OK


@pytest.mark.parametrize("head", ["Host: evil.example", "Host: localhost.evil.example:80", "Host:", "X: localhost"])
def test_other_names_are_not(head: str) -> None:
    assert status(f"GET / HTTP/1.1\r\n{head}\r\n\r\n") is HTTPStatus.MISDIRECTED_REQUEST


def test_readiness_is_apart_from_liveness() -> None:
    head = "HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert status(f"GET /readyz {head}", is_ready=False) is HTTPStatus.SERVICE_UNAVAILABLE
    assert status(f"GET /healthz {head}", is_ready=False) is HTTPStatus.OK
    assert status(f"GET /readyz {head}") is HTTPStatus.OK


def test_nonsense_is_refused() -> None:
    assert status("nonsense\r\n\r\n") is HTTPStatus.BAD_REQUEST
    assert status("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n") is HTTPStatus.METHOD_NOT_ALLOWED
