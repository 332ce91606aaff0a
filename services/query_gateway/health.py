"""Alive, ready, measured. Whoever asks learns names and states; why one is not well is in the log."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from cortex.domain.credential import Credential
from cortex.domain.errors import CortexError
from cortex.runtime.edge.guarded import GuardedRoute
from services.query_gateway.identify import Operator
from services.query_gateway.wire import DependencyState, Readiness

logger = logging.getLogger(__name__)

Probe = Callable[[], Awaitable[object]]
"""Returns when its dependency is well; raises a CortexError or OSError when it is not."""


def router(
    *, probes: Mapping[str, Probe], registry: CollectorRegistry, operator: Operator, timeout_s: float
) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=GuardedRoute)

    @routes.get("/healthz", operation_id="healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @routes.get("/readyz", operation_id="readyz", response_model=Readiness, responses={503: {"model": Readiness}})
    async def readyz() -> Response:
        readiness = await ready(probes, timeout_s=timeout_s)
        status = 200 if readiness.status == "ready" else 503
        return JSONResponse(readiness.model_dump(mode="json"), status_code=status)

    @routes.get("/metrics", operation_id="metrics", response_class=Response)
    async def metrics(_allowed: Annotated[Credential, Depends(operator)]) -> Response:
        """For Prometheus, with an API key of the role auditor."""
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return routes


async def ready(probes: Mapping[str, Probe], *, timeout_s: float) -> Readiness:
    """Every dependency is asked at the same time."""
    async with asyncio.TaskGroup() as group:
        asked = {name: group.create_task(_state(name, probe, timeout_s)) for name, probe in probes.items()}
    states = {name: task.result() for name, task in asked.items()}
    well = all(state.ok for state in states.values())
    return Readiness(status="ready" if well else "unavailable", dependencies=states)


async def _state(name: str, probe: Probe, timeout_s: float) -> DependencyState:
    started = time.perf_counter()
    why: str | None = None
    try:
        async with asyncio.timeout(timeout_s):
            await probe()
    except TimeoutError:
        why = f"no answer within {timeout_s:g} s"
    except (CortexError, OSError) as error:
        why = str(error)
    if why is not None:
        logger.warning("%s is not well: %s", name, why)
    return DependencyState(ok=why is None, ms=round((time.perf_counter() - started) * 1000, 2))
