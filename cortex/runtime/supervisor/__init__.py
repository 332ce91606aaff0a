"""Runs a graph of child processes: starts each when what it needs is ready, restarts it, stops all in reverse.

`spec` and `backoff` are values and pure functions, `probes` ask whether a server answers, `child` is one run of one
program, `keeper` keeps one program running, `supervisor` keeps the graph.
"""

from cortex.runtime.supervisor.grpc_health import GrpcHealthProbe
from cortex.runtime.supervisor.probes import ExchangeProbe, HttpProbe, TcpProbe
from cortex.runtime.supervisor.spec import (
    Account,
    NodeSpec,
    ProcessSpec,
    ProcessState,
    ProcessStatus,
    ReadyProbe,
    RestartPolicy,
    StepSpec,
)
from cortex.runtime.supervisor.supervisor import Supervisor, supervise

__all__ = [
    "Account",
    "ExchangeProbe",
    "GrpcHealthProbe",
    "HttpProbe",
    "NodeSpec",
    "ProcessSpec",
    "ProcessState",
    "ProcessStatus",
    "ReadyProbe",
    "RestartPolicy",
    "StepSpec",
    "Supervisor",
    "TcpProbe",
    "supervise",
]
