"""Alive, ready, measured."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from cortex.domain.errors import CortexError
from services.query_gateway.wire import DependencyState, Readiness

Probe = Callable[[], Awaitable[object]]
"""Returns when its dependency is well; raises a CortexError or OSError when it is not."""


def router(*, probes: Mapping[str, Probe], registry: CollectorRegistry, timeout_s: float) -> APIRouter:
    routes = APIRouter(tags=["health"])

    @routes.get("/healthz", operation_id="healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @routes.get("/readyz", operation_id="readyz", response_model=Readiness, responses={503: {"model": Readiness}})
    async def readyz() -> Response:
        readiness = await ready(probes, timeout_s=timeout_s)
        status = 200 if readiness.status == "ready" else 503
        return JSONResponse(readiness.model_dump(mode="json"), status_code=status)

    @routes.get("/metrics", operation_id="metrics", response_class=Response)
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return routes


async def ready(probes: Mapping[str, Probe], *, timeout_s: float) -> Readiness:
    """Every dependency is asked at the same time."""
    async with asyncio.TaskGroup() as group:
        asked = {name: group.create_task(_state(probe, timeout_s)) for name, probe in probes.items()}
    states = {name: task.result() for name, task in asked.items()}
    well = all(state.ok for state in states.values())
    return Readiness(status="ready" if well else "unavailable", dependencies=states)


async def _state(probe: Probe, timeout_s: float) -> DependencyState:
    started = time.perf_counter()
    detail: str | None = None
    try:
        async with asyncio.timeout(timeout_s):
            await probe()
    except TimeoutError:
        detail = f"no answer within {timeout_s:g} s"
    except (CortexError, OSError) as error:
        detail = str(error) if isinstance(error, CortexError) else type(error).__name__
    return DependencyState(ok=detail is None, ms=round((time.perf_counter() - started) * 1000, 2), detail=detail)
