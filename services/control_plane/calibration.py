"""How sure an answer must be before it is given: what a tenant's own fit says, or what is shipped."""

import math
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import AfterValidator, Field

from cortex.domain.calibration import Calibration
from cortex.domain.credential import Credential, Role
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Authenticator
from cortex.ports.calibration_store import CalibrationStore
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires
from services.control_plane.bodies import Body

COEFFICIENTS_MAX = 50
SIZE_MAX = 1_000.0


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("is no number")
    return value


Coefficient = Annotated[float, Field(ge=-SIZE_MAX, le=SIZE_MAX), AfterValidator(_finite)]
Feature = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]


class CalibrationBody(Body):
    """Below `threshold`, from 0 to 1, there is silence. Features that are not named count nothing."""

    intercept: Coefficient
    threshold: Annotated[float, Field(ge=0, le=1)]
    coefficients: Annotated[dict[Feature, Coefficient], Field(max_length=COEFFICIENTS_MAX)]


class CalibrationView(Body):
    """Null: the shipped one."""

    calibration: CalibrationBody | None


@dataclass(frozen=True, slots=True)
class CalibrationPorts:
    authenticator: Authenticator
    calibrations: CalibrationStore


def calibration_router(ports: CalibrationPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/generation/calibration", tags=["engines"], route_class=GuardedRoute)
    admin = Depends(requires(ports.authenticator, Role.ADMIN))
    looking = Depends(requires(ports.authenticator, Role.ADMIN, Role.AUDITOR))

    @router.get("")
    async def get_calibration(credential: Credential = looking) -> CalibrationView:
        found = await ports.calibrations.calibration(credential.tenant_id)
        if found is None:
            return CalibrationView(calibration=None)
        body = CalibrationBody(
            intercept=found.intercept, threshold=found.threshold, coefficients=dict(found.coefficients)
        )
        return CalibrationView(calibration=body)

    @router.put("", status_code=204)
    async def put_calibration(body: CalibrationBody, credential: Credential = admin) -> None:
        line = AuditEntry(credential.email, "calibration.put", "tenant", {"threshold": str(body.threshold)})
        made = Calibration(body.intercept, body.threshold, body.coefficients)
        await ports.calibrations.audited(line).set_calibration(credential.tenant_id, made)

    @router.delete("", status_code=204)
    async def remove_calibration(credential: Credential = admin) -> None:
        """Back to the shipped one; idempotent."""
        line = AuditEntry(credential.email, "calibration.remove", "tenant")
        await ports.calibrations.audited(line).set_calibration(credential.tenant_id, None)

    return router
