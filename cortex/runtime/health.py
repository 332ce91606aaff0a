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

    routes = [Route("/healthz", alive), Route("/readyz", ready), _metrics(registry)]
    async with serving(Starlette(routes=routes), port=port):
        yield


@asynccontextmanager
async def measured(*, port: int | None, host: str, registry: CollectorRegistry) -> AsyncIterator[None]:
    """Metrics alone, without a credential, at an address that people do not reach. Without a port there are none."""
    if port is None:
        yield
        return
    async with serving(Starlette(routes=[_metrics(registry)]), port=port, host=host):
        yield


def _metrics(registry: CollectorRegistry) -> Route:
    async def metrics(_: Request) -> Response:
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")

    return Route("/metrics", metrics)
