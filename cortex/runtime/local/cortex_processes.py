"""Cortex's own processes, as `services.host` composes them."""

import sys

from cortex.runtime.local.options import Role, ServerName
from cortex.runtime.local.plan import MIGRATIONS, MODELS_HEALTH, Plan
from cortex.runtime.local.programs import python_environment
from cortex.runtime.supervisor import HttpProbe, ProcessSpec

_EVERY_SERVER = tuple(ServerName)
# Each answers `GET /readyz` here; the gateway on the port that it serves.
_HEALTH_PORTS = {Role.GATEWAY: "gateway", Role.WORKERS: "workers", Role.MODELS: MODELS_HEALTH}
_WITHHELD = "CORTEX_DATABASE_ADMIN_URL"  # the role that bypasses row-level security is for migrations alone


def spec(plan: Plan, role: Role) -> ProcessSpec:
    health_port = plan.ports[_HEALTH_PORTS[role]]
    environment = {**plan.environment, **plan.urls, **python_environment()}
    environment.pop(_WITHHELD, None)
    if role is not Role.GATEWAY:
        environment["CORTEX_HEALTH_PORT"] = str(health_port)
    arguments = ("--port", str(plan.ports["gateway"])) if role is Role.GATEWAY else ()
    return ProcessSpec(
        name=role,
        argv=(sys.executable, "-m", "services.host", role, *arguments),
        environment=environment,
        depends_on=plan.present(MIGRATIONS, *_EVERY_SERVER),
        port=plan.ports[role],
        probe=HttpProbe(port=health_port),
        stop_grace_s=20.0,
    )
