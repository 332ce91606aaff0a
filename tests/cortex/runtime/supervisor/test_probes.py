import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health

from cortex.runtime.supervisor import ExchangeProbe, GrpcHealthProbe, HttpProbe, TcpProbe

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[int]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def answering(answer: bytes) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        await writer.drain()
        writer.close()

    return handle


async def closed_port() -> int:
    async with serving(answering(b"")) as port:
        return port


@pytest.mark.parametrize(("status", "ready"), [(b"200 OK", True), (b"503 Not Ready", False), (b"404 Nope", False)])
@pytest.mark.parametrize("version", [b"HTTP/1.1", b"HTTP/1.0"])
async def test_http_is_ready_at_200_alone(version: bytes, status: bytes, ready: bool) -> None:
    async with serving(answering(version + b" " + status + b"\r\n\r\n")) as port:
        assert await HttpProbe(port=port).ready() is ready


async def test_an_exchange_wants_exactly_its_answer() -> None:
    async with serving(answering(b"+PONG\r\n")) as port:
        assert await ExchangeProbe(port=port, send=b"PING", expect=b"+PONG").ready()
        assert not await ExchangeProbe(port=port, send=b"PING", expect=b"+LOAD").ready()
        assert not await ExchangeProbe(port=port, send=b"PING", expect=b"+PONG\r\nand more").ready()


async def test_nobody_listening_is_not_ready() -> None:
    port = await closed_port()
    for probe in (TcpProbe(port=port), HttpProbe(port=port), GrpcHealthProbe(port=port)):
        assert not await probe.ready()


async def test_a_server_that_says_nothing_is_not_ready_within_the_time_of_a_try() -> None:
    released = asyncio.Event()

    async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.close()

    async with serving(silent) as port:
        assert not await ExchangeProbe(port=port, expect=b"x", timeout_s=0.05).ready()
        assert not await GrpcHealthProbe(port=port, timeout_s=0.05).ready()
        assert await TcpProbe(port=port).ready()
        released.set()


async def test_grpc_health_is_asked_by_service() -> None:
    server = grpc.aio.server()
    servicer = health.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        await servicer.set("mine", health_pb2.HealthCheckResponse.SERVING)
        await servicer.set("loading", health_pb2.HealthCheckResponse.NOT_SERVING)
        assert await GrpcHealthProbe(port=port).ready()
        assert await GrpcHealthProbe(port=port, service="mine").ready()
        assert not await GrpcHealthProbe(port=port, service="loading").ready()
        assert not await GrpcHealthProbe(port=port, service="unknown", timeout_s=0.5).ready()
    finally:
        await server.stop(None)
