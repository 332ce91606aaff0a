"""Qdrant's gRPC API over its embedded engine, in a process of its own: `cortex.adapters.qdrant_edge`."""

import sys

from cortex.runtime.local.folder import write_private
from cortex.runtime.local.plan import QDRANT_HTTP, Plan
from cortex.runtime.local.programs import python_environment
from cortex.runtime.supervisor import HttpProbe, ProcessSpec


def spec(plan: Plan) -> ProcessSpec:
    folder = plan.folder.server("qdrant")
    key_file = folder / "key"
    write_private(key_file, plan.credentials.qdrant)
    port, http_port = plan.ports["qdrant"], plan.ports[QDRANT_HTTP]
    return ProcessSpec(
        name="qdrant",
        argv=(
            *(sys.executable, "-m", "cortex.adapters.qdrant_edge", "--data", str(folder / "data")),
            *("--port", str(port), "--http-port", str(http_port), "--key-file", str(key_file)),
        ),
        environment=python_environment(),
        port=port,
        probe=HttpProbe(port=http_port),
    )
