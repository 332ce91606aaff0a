"""The audit: entries in order, in one chain a tenant, and whoever alters it is found out."""

import asyncio
import uuid

import psycopg
import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.audit import PostgresAuditLog
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers


@pytest.fixture
def audit(database: Database) -> PostgresAuditLog:
    return PostgresAuditLog(database, SystemClock())


@pytest.fixture
async def tenant(database: Database) -> TenantId:
    return await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")


def entries(count: int) -> list[AuditEntry]:
    return [
        AuditEntry("ann@acme.example", "document.read", str(number), {"größe": number, "whole": True})
        for number in range(count)
    ]


async def test_entries_keep_their_order(database: Database, audit: PostgresAuditLog, tenant: TenantId) -> None:
    await audit.append(tenant, entries(2))
    await audit.append(tenant, [])
    await audit.append(tenant, entries(1))
    async with database.tenant(tenant) as connection:
        rows = (await connection.execute(text("SELECT sequence, object, details FROM audit ORDER BY sequence"))).all()
    assert [(row.sequence, row.object) for row in rows] == [(1, "0"), (2, "1"), (3, "0")]
    assert rows[1].details == {"größe": 1, "whole": True}


async def test_an_untouched_chain_holds(audit: PostgresAuditLog, tenant: TenantId) -> None:
    assert await audit.verify(tenant) == (0, None)
    await audit.append(tenant, entries(1_205))
    assert await audit.verify(tenant) == (1_205, None)


async def test_racing_writers_make_one_chain(audit: PostgresAuditLog, tenant: TenantId) -> None:
    await asyncio.gather(*(audit.append(tenant, entries(3)) for _ in range(8)))
    assert await audit.verify(tenant) == (24, None)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit SET actor = 'eve@acme.example' WHERE sequence = 3 AND tenant_id = %s",
        "UPDATE audit SET details = '{}' WHERE sequence = 3 AND tenant_id = %s",
        "UPDATE audit SET at = at + interval '1 microsecond' WHERE sequence = 3 AND tenant_id = %s",
        "DELETE FROM audit WHERE sequence = 3 AND tenant_id = %s",
    ],
)
async def test_what_was_altered_or_taken_out_is_found(
    audit: PostgresAuditLog, tenant: TenantId, postgres_url: PostgresUrls, change: str
) -> None:
    """Even by whoever owns the database, unless every later hash is made anew."""
    await audit.append(tenant, entries(5))
    with psycopg.connect(postgres_url.admin) as connection:
        assert connection.execute(change.encode(), [tenant]).rowcount == 1
    assert await audit.verify(tenant) == (2, 3)


async def test_chains_of_tenants_are_apart(database: Database, audit: PostgresAuditLog, tenant: TenantId) -> None:
    other = await PostgresTenants(database).make(f"o-{uuid.uuid4().hex[:12]}", title="Another")
    await audit.append(tenant, entries(2))
    await audit.append(other, entries(1))
    assert (await audit.verify(tenant), await audit.verify(other)) == ((2, None), (1, None))
