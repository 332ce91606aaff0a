"""Session fixtures: the real servers, each started when the first test asks for it."""

from collections.abc import Iterator

import pytest

from cortex.runtime.local import ServerName
from tests.e2e.running import Platform, whole_platform
from tests.local_servers import KeyedUrl, LocalServers, PostgresUrls
from tests.otlp import Collector, collecting
from tests.scheduling import ByServers


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByServers:
    return ByServers(config, log)


@pytest.fixture(scope="session")
def local_servers() -> Iterator[LocalServers]:
    servers = LocalServers()
    yield servers
    servers.close()


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """Every server and every role, for all tests that look at the whole from outside."""
    with whole_platform() as running:
        yield running


@pytest.fixture(scope="session")
def postgres_url(local_servers: LocalServers) -> PostgresUrls:
    """A migrated database."""
    urls = local_servers.urls(ServerName.POSTGRES)
    return PostgresUrls(admin=urls["CORTEX_DATABASE_ADMIN_URL"], service=urls["CORTEX_DATABASE_URL"])


@pytest.fixture(scope="session")
def nats_url(local_servers: LocalServers) -> str:
    return local_servers.urls(ServerName.NATS)["CORTEX_NATS_URL"]


@pytest.fixture(scope="session")
def redis_url(local_servers: LocalServers) -> str:
    return local_servers.urls(ServerName.VALKEY)["CORTEX_REDIS_URL"]


@pytest.fixture(scope="session")
def temporal_url(local_servers: LocalServers) -> str:
    """`host:port`; the namespace is `cortex`."""
    return local_servers.urls(ServerName.TEMPORAL)["CORTEX_TEMPORAL_URL"]


@pytest.fixture(scope="session")
def spicedb(local_servers: LocalServers) -> KeyedUrl:
    """With the product's schema and no tuples."""
    urls = local_servers.urls(ServerName.SPICEDB)
    return KeyedUrl(urls["CORTEX_SPICEDB_URL"], urls["CORTEX_SPICEDB_KEY"])


@pytest.fixture(scope="session")
def qdrant_url(local_servers: LocalServers) -> KeyedUrl:
    """The gRPC address as `http://host:port`."""
    urls = local_servers.urls(ServerName.QDRANT)
    return KeyedUrl(urls["CORTEX_QDRANT_URL"], urls["CORTEX_QDRANT_KEY"])


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """Takes every span that this process makes from now on."""
    with collecting() as taking:
        yield taking
