"""A database with a tenant of its own for each test."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.directory import PostgresDirectory
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.redis import RedisGroupCache
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.identity import SourceId, TenantId, source_id
from tests.local_servers import KeyedUrl, PostgresUrls


@dataclass(frozen=True, slots=True)
class Store:
    """Postgres and SpiceDB as the product puts them together, and one source of one tenant."""

    database: Database
    engine: SpiceDbEngine
    permissions: PermissionApplier
    directory: PostgresDirectory
    writer: PostgresSourceWriter
    sources: PostgresSources
    tenant: TenantId
    source: SourceId


@pytest.fixture
async def database(postgres_url: PostgresUrls) -> AsyncIterator[Database]:
    # Five hundred at once wait for four connections, on a machine that others use too.
    database = Database.connect(postgres_url.service, connections_max=4, timeout_s=60.0)
    yield database
    await database.close()


@pytest.fixture
async def store(database: Database, spicedb: KeyedUrl, redis_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    engine = SpiceDbEngine(spicedb.url, key=spicedb.key)
    permissions = PermissionApplier(database, engine)
    tenant = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")
    source = source_id(tenant, "wiki")
    sources = PostgresSources(database, SystemClock())
    await sources.add(tenant, source, name="wiki", type_="push", config={})
    groups = RedisGroupCache(redis_url)
    objects = Objects(tmp_path.as_uri())
    writer = PostgresSourceWriter(database, objects, permissions, SystemClock(), groups, pipeline_version="1")
    yield Store(
        database,
        engine,
        permissions,
        PostgresDirectory(database, permissions, SystemClock()),
        writer,
        sources,
        tenant,
        source,
    )
    await groups.close()
    await engine.close()
