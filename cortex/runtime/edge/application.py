"""The application around a service's routes: one title, problems for errors, and the middleware of every request."""

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from fastapi.telemetry import TelemetryConfig
from prometheus_client import CollectorRegistry, Counter

from cortex.ports.tracer import Tracer
from cortex.runtime.edge import problems
from cortex.runtime.edge.middleware import BodyLimit, Envelope, HostGuard, Requests, WellFormed
from cortex.runtime.edge.settings import EdgeSettings

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

# FastAPI's would hold paths and query strings, which are content. `Envelope` traces requests.
_NO_SPANS_OF_ITS_OWN: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


class CountedRequests:
    """Implements Requests for a service that counts nothing else."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "cortex_requests", "Requests by route and status.", ["method", "route", "status"], registry=registry
        )

    def request(self, *, method: str, route: str, status: int) -> None:
        self._requests.labels(method, route, str(status)).inc()


def application(
    routers: Iterable[APIRouter],
    settings: EdgeSettings,
    *,
    tracer: Tracer,
    requests: Requests,
    lifespan: Lifespan | None = None,
) -> FastAPI:
    app = FastAPI(
        title="Cortex",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_SPANS_OF_ITS_OWN,
        generate_unique_id_function=operation_id,
    )
    for router in routers:
        app.include_router(router)
    problems.install(app)
    app.add_middleware(BodyLimit, settings=settings)
    app.add_middleware(WellFormed)
    app.add_middleware(HostGuard, allowed_hosts=settings.allowed_hosts)
    app.add_middleware(Envelope, tracer=tracer, requests=requests)
    return app


def operation_id(route: APIRoute) -> str:
    """Stable and readable: the function's name, after its area where areas call things alike."""
    parts = route.path.strip("/").split("/")
    if parts[0] in ("admin", "scim"):
        return "_".join([parts[0], parts[2].strip(".").lower(), route.name])
    return route.name
