"""The HTTP side: liveness and readiness for the supervisor, and the version that Qdrant's client asks for."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

REQUEST_BYTES_MAX = 8192
REQUEST_TIMEOUT_S = 5.0
# The version of the API that is served, not of the engine.
QDRANT_VERSION = "1.20.0"
VERSION = {"title": "qdrant_edge of Cortex, over Qdrant's embedded engine", "version": QDRANT_VERSION}
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


def _host(head: list[str]) -> str:
    for line in head:
        name, _, value = line.partition(":")
        if name.strip().lower() == "host":
            host = value.strip().lower()
            return host if host.endswith("]") else host.rpartition(":")[0] or host
    return ""


def answer(request: str, *, hosts: frozenset[str], is_ready: bool) -> tuple[HTTPStatus, str]:
    """Status and body for the head of a request. A foreign Host is a page that rebinds its name to this machine."""
    first, *head = request.split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3:
        return HTTPStatus.BAD_REQUEST, "malformed request"
    method, target, _ = parts
    if _host(head) not in hosts:
        return HTTPStatus.MISDIRECTED_REQUEST, "this server answers to loopback names only"
    if method not in {"GET", "HEAD"}:
        return HTTPStatus.METHOD_NOT_ALLOWED, "only GET is served"
    if target == "/":
        return HTTPStatus.OK, json.dumps(VERSION)
    if target in {"/healthz", "/livez"}:
        return HTTPStatus.OK, "healthz check passed"
    if target == "/readyz":
        if is_ready:
            return HTTPStatus.OK, "all shards are ready"
        return HTTPStatus.SERVICE_UNAVAILABLE, "some shards are not ready"
    return HTTPStatus.NOT_FOUND, "qdrant_edge serves gRPC; over HTTP only /, /healthz, /livez and /readyz"


def _response(status: HTTPStatus, body: str) -> bytes:
    kind = "application/json" if body.startswith("{") else "text/plain"
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
    )
    return (head + body).encode()


@asynccontextmanager
async def probes(*, host: str, port: int, is_ready: Callable[[], bool]) -> AsyncIterator[int]:
    """Serve them while the context lasts; gives the port."""
    hosts = _LOOPBACK_NAMES | {host}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(_response(*answer(request.decode("latin-1"), hosts=hosts, is_ready=is_ready())))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # whoever probes will ask again
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, port, limit=REQUEST_BYTES_MAX)
    async with server:
        yield server.sockets[0].getsockname()[1]
