"""Everything a recipe needs to know, gathered before anything starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from cortex.domain.errors import Invalid
from cortex.runtime.local.credentials import Credentials
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.options import URL_VARIABLES, Migration, PlatformOptions, Role, ServerName

QDRANT_HTTP = "qdrant_http"
MODELS_HEALTH = "models_health"
SECOND_PORTS = (QDRANT_HTTP, MODELS_HEALTH)
MIGRATIONS = "migrations"
ADMIN_ROLE = "cortex_admin"
_SERVICE_ROLE = "cortex_service"
_REPLAY_ROLE = "cortex_replay"
DATABASE = "cortex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`local` are the servers that are started; `urls` is the CORTEX_* environment of whoever uses the platform."""

    folder: DataFolder
    credentials: Credentials
    ports: Mapping[str, int]
    local: frozenset[ServerName]
    roles: frozenset[Role]
    migrates: bool
    urls: Mapping[str, str] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)

    def present(self, *names: str) -> frozenset[str]:
        """Those of the names that run here: what is used from elsewhere cannot be waited for."""
        running = {*self.local, *self.roles, *([MIGRATIONS] if self.migration is not None else [])}
        return frozenset(name for name in names if name in running)

    @property
    def migration(self) -> Migration | None:
        """None when it is not wanted, or not allowed: then whoever gave the database's address has done it."""
        admin_url = self.urls.get("CORTEX_DATABASE_ADMIN_URL")
        if admin_url is None or not self.migrates:
            return None
        password = urlsplit(self.urls["CORTEX_DATABASE_URL"]).password
        if password is None:
            raise Invalid("CORTEX_DATABASE_URL needs a password: the migrations set it for the service's role")
        replay = self.credentials.postgres_replay
        return Migration(admin_url=admin_url, service_password=unquote(password), replay_password=replay)

    @property
    def replay_url(self) -> str:
        """Where SpiceDB reads its tuples, without the password, which goes through the environment."""
        admin_url = self.urls.get("CORTEX_DATABASE_ADMIN_URL")
        if admin_url is None:
            raise Invalid("a local SpiceDB replays from Postgres: set CORTEX_DATABASE_ADMIN_URL, or CORTEX_SPICEDB_URL")
        parts = urlsplit(admin_url)
        return urlunsplit(parts._replace(netloc=f"{_REPLAY_ROLE}@{parts.netloc.rpartition('@')[2]}"))


def port_names(options: PlatformOptions) -> list[str]:
    """The names of the processes to start, and of the second ports that some have."""
    local = local_servers(options)
    second = [QDRANT_HTTP] if ServerName.QDRANT in local else []
    second += [MODELS_HEALTH] if Role.MODELS in options.roles else []
    return [*sorted(local), *sorted(options.roles), *second]


def local_servers(options: PlatformOptions) -> frozenset[ServerName]:
    return frozenset(name for name in options.servers if URL_VARIABLES[name] not in options.environment)


def addresses(
    options: PlatformOptions, *, folder: DataFolder, credentials: Credentials, ports: Mapping[str, int]
) -> dict[str, str]:
    """The CORTEX_* variables: the environment's, with the addresses and keys of what is started here in their place."""
    local = local_servers(options)
    urls = {
        "CORTEX_OBJECTS_URL": folder.objects.as_uri(),
        "CORTEX_MODELS_DIR": str(folder.models),
        "CORTEX_INTERNAL_KEY": credentials.internal,
        **{name: value for name, value in options.environment.items() if name.startswith("CORTEX_")},
        "CORTEX_DATA": str(folder.root),
    }
    if ServerName.POSTGRES in local:
        at = f"127.0.0.1:{ports[ServerName.POSTGRES]}/{DATABASE}"
        urls["CORTEX_DATABASE_URL"] = f"postgresql://{_SERVICE_ROLE}:{quote(credentials.postgres_service)}@{at}"
        urls["CORTEX_DATABASE_ADMIN_URL"] = f"postgresql://{ADMIN_ROLE}:{quote(credentials.postgres_admin)}@{at}"
    if ServerName.NATS in local:
        urls["CORTEX_NATS_URL"] = f"nats://cortex:{credentials.nats}@127.0.0.1:{ports[ServerName.NATS]}"
    if ServerName.VALKEY in local:
        urls["CORTEX_REDIS_URL"] = f"redis://:{credentials.valkey}@127.0.0.1:{ports[ServerName.VALKEY]}/0"
    if ServerName.SPICEDB in local:
        urls["CORTEX_SPICEDB_URL"] = f"127.0.0.1:{ports[ServerName.SPICEDB]}"
        urls["CORTEX_SPICEDB_KEY"] = credentials.spicedb
    if ServerName.TEMPORAL in local:
        urls["CORTEX_TEMPORAL_URL"] = f"127.0.0.1:{ports[ServerName.TEMPORAL]}"
    if ServerName.QDRANT in local:
        urls["CORTEX_QDRANT_URL"] = f"http://127.0.0.1:{ports[ServerName.QDRANT]}"
        urls["CORTEX_QDRANT_KEY"] = credentials.qdrant
    if Role.MODELS in options.roles:
        urls["CORTEX_MODELS_URL"] = f"127.0.0.1:{ports[Role.MODELS]}"
    return urls
