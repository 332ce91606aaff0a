"""Probes of a process that serves no HTTP of its own: alive, ready, and its metrics."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cortex.runtime.http import serving


@asynccontextmanager
async def probes(*, port: int | None, is_ready: Callable[[], bool], registry: CollectorRegistry) -> AsyncIterator[None]:
    """Without a port there are none."""
    if port is None:
        yield
        return

    async def alive(_: Request) -> Response:
        return PlainTextResponse("alive")

    async def ready(_: Request) -> Response:
        return PlainTextResponse("ready") if is_ready() else PlainTextResponse("starting or stopping", 503)

    async def metrics(_: Request) -> Response:
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")

    routes = [Route("/healthz", alive), Route("/readyz", ready), Route("/metrics", metrics)]
    async with serving(Starlette(routes=routes), port=port):
        yield
