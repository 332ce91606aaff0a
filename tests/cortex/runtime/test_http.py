"""Serving HTTP for as long as a block lasts, and the probes of a process that has no HTTP of its own."""

import asyncio
import socket

import httpx
import pytest
from prometheus_client import CollectorRegistry, Counter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cortex.domain.errors import Transient
from cortex.runtime.health import probes
from cortex.runtime.http import serving


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def test_it_answers_in_the_block_and_finishes_what_was_asked() -> None:
    asked, leave = asyncio.Event(), asyncio.Event()

    async def slow(_: Request) -> Response:
        asked.set()
        await leave.wait()
        return PlainTextResponse("done")

    port = free_port()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client, asyncio.TaskGroup() as tasks:
        async with serving(Starlette(routes=[Route("/", slow)]), port=port):
            answer = tasks.create_task(client.get("/"))
            await asked.wait()
            leave.set()
        assert (await answer).text == "done"
        with pytest.raises(httpx.ConnectError):
            await client.get("/")


async def test_a_port_that_is_taken_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ExceptionGroup) as failed:
            async with asyncio.timeout(20), serving(Starlette(), port=int(taken.getsockname()[1])):
                raise AssertionError("two servers on one port")
    [error] = failed.value.exceptions
    assert isinstance(error, Transient)


async def test_probes_tell_alive_ready_and_measured() -> None:
    registry, port, well = CollectorRegistry(), free_port(), asyncio.Event()
    Counter("things", "Things.", registry=registry).inc()
    async with (
        probes(port=port, is_ready=well.is_set, registry=registry),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).status_code == 503
        well.set()
        assert (await client.get("/readyz")).status_code == 200
        assert "things_total 1.0" in (await client.get("/metrics")).text


async def test_without_a_port_there_are_no_probes() -> None:
    async with probes(port=None, is_ready=lambda: True, registry=CollectorRegistry()):
        pass
