"""Tenants by their name."""

import asyncio
import uuid

import pytest

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.tenants import PostgresTenants, Tenant
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import tenant_id

pytestmark = pytest.mark.servers


async def test_a_tenants_id_follows_from_its_name(database: Database) -> None:
    tenants, name = PostgresTenants(database), f"t-{uuid.uuid4().hex[:12]}"
    made = await asyncio.gather(*(tenants.make(name, title="Acme") for _ in range(4)))
    assert set(made) == {tenant_id(name)}
    assert await tenants.named(name) == Tenant(tenant_id(name), name, "Acme")
    assert [tenant.name for tenant in await tenants.all()].count(name) == 1


async def test_making_it_again_keeps_its_title(database: Database) -> None:
    tenants, name = PostgresTenants(database), f"t-{uuid.uuid4().hex[:12]}"
    await tenants.make(name, title="Acme")
    await tenants.make(name, title="Other")
    assert (await tenants.named(name)).title == "Acme"


async def test_an_unknown_name_is_not_found_and_a_wrong_one_refused(database: Database) -> None:
    tenants = PostgresTenants(database)
    with pytest.raises(NotFound):
        await tenants.named("nobody")
    with pytest.raises(Invalid):
        await tenants.make("../acme", title="Acme")
