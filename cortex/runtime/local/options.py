"""What a local platform is asked to be."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from cortex.runtime.supervisor import ProcessStatus

GATEWAY_PORT = 8080


class ServerName(StrEnum):
    POSTGRES = "postgres"
    NATS = "nats"
    VALKEY = "valkey"
    SPICEDB = "spicedb"
    TEMPORAL = "temporal"
    QDRANT = "qdrant"


class Role(StrEnum):
    """Cortex's own processes, as `services.host` composes them."""

    GATEWAY = "gateway"
    WORKERS = "workers"
    MODELS = "models"


# Set in the environment, such an address stands for a server that is used and not started.
URL_VARIABLES = {
    ServerName.POSTGRES: "CORTEX_DATABASE_URL",
    ServerName.NATS: "CORTEX_NATS_URL",
    ServerName.VALKEY: "CORTEX_REDIS_URL",
    ServerName.SPICEDB: "CORTEX_SPICEDB_URL",
    ServerName.TEMPORAL: "CORTEX_TEMPORAL_URL",
    ServerName.QDRANT: "CORTEX_QDRANT_URL",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What it takes to bring the database's schema up to date. Hidden from `repr`: it holds passwords."""

    admin_url: str = field(repr=False)
    service_password: str = field(repr=False)
    replay_password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformOptions:
    """`environment` is the caller's, read once in its main; CORTEX_* in it override what would be started.

    `ports` fixes ports by process name; the others are chosen, recorded and kept. `migrate` is off where a test
    wants Postgres alone. `disposable` removes on leaving what lies outside the data folder (see `postgres_home`).
    """

    data: Path
    servers: frozenset[ServerName] = frozenset(ServerName)
    roles: frozenset[Role] = frozenset(Role)
    port: int = GATEWAY_PORT
    ports: Mapping[str, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    migrate: bool = True
    disposable: bool = False


def _ignore(_statuses: tuple[ProcessStatus, ...]) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """`observe` is told of every change of state. `migrate` replaces the migrations (None: those of the product)."""

    observe: Callable[[tuple[ProcessStatus, ...]], None] = _ignore
    migrate: Callable[[Migration], Awaitable[None]] | None = None
