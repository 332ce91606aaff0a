"""Settings of the connectors service."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectorsSettings:
    """`activities_max` bounds how many sources are worked on at once; each takes one activity at a time."""

    temporal_url: str
    namespace: str = "cortex"
    activities_max: int = 8
    workflow_tasks_max: int = 16
    workflows_cached_max: int = 100
    heartbeat_every_s: float = 4.0
    documents_removed_per_page: int = 100
    shutdown_grace_s: float = 10.0
