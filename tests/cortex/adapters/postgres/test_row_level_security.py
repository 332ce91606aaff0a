"""Tenants are walls, in the database itself."""

import uuid

import psycopg
import pytest
from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.tenants import PostgresTenants
from tests.cortex.adapters.postgres.conftest import Store
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers


def tables(urls: PostgresUrls) -> list[str]:
    with psycopg.connect(urls.admin) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return sorted(name for (name,) in rows if name != "alembic_version")


def test_every_table_forces_row_level_security(postgres_url: PostgresUrls) -> None:
    with psycopg.connect(postgres_url.admin) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            " AND NOT (relrowsecurity AND relforcerowsecurity)"
        ).fetchall()
    assert rows == [("alembic_version",)]


def test_no_service_role_can_bypass_it(postgres_url: PostgresUrls) -> None:
    with psycopg.connect(postgres_url.admin) as connection:
        rows = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolcanlogin AND rolname LIKE 'cortex_%' AND rolname <> 'cortex_admin'"
            " AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)"
        ).fetchall()
        owned = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            " AND tableowner IN ('cortex_service', 'cortex_replay')"
        ).fetchall()
    assert rows == []
    assert owned == []


async def test_without_a_tenant_nothing_is_seen(store: Store, postgres_url: PostgresUrls) -> None:
    async with store.database.spanning() as connection:
        for table in tables(postgres_url):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0, table


async def test_a_reused_connection_forgets_its_tenant(store: Store, postgres_url: PostgresUrls) -> None:
    database = Database.connect(postgres_url.service, connections_max=1)
    async with database.tenant(store.tenant) as connection:
        assert (await connection.execute(text("SELECT count(*) FROM tenants"))).scalar_one() == 1
        first = (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
    async with database.spanning() as connection:
        assert (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one() == first
        assert (await connection.execute(text("SELECT count(*) FROM tenants"))).scalar_one() == 0
    await database.close()


async def test_a_tenant_sees_only_itself(store: Store) -> None:
    other = await PostgresTenants(store.database).make(f"o-{uuid.uuid4().hex[:12]}", title="Another")
    async with store.database.tenant(other) as connection:
        assert (await connection.execute(text("SELECT id FROM tenants"))).scalars().all() == [other]
        assert (await connection.execute(text("SELECT count(*) FROM sources"))).scalar_one() == 0


async def test_a_row_of_another_tenant_cannot_be_written(store: Store) -> None:
    other = uuid.uuid4()
    with pytest.raises(Exception, match="row-level security"):
        async with store.database.tenant(store.tenant) as connection:
            await connection.execute(
                text("INSERT INTO persons (tenant_id, id, name) VALUES (:tenant, :id, 'x')"),
                {"tenant": other, "id": uuid.uuid4()},
            )


async def test_the_audit_cannot_be_changed_by_a_service(store: Store) -> None:
    for statement in ("UPDATE audit SET actor = 'x'", "DELETE FROM audit"):
        with pytest.raises(Exception, match="permission denied"):
            async with store.database.tenant(store.tenant) as connection:
                await connection.execute(text(statement))


async def test_functions_that_span_tenants_are_not_for_everyone(store: Store, postgres_url: PostgresUrls) -> None:
    with psycopg.connect(postgres_url.admin) as connection:
        rows = connection.execute(
            "SELECT proname, prosecdef, proconfig, pg_get_userbyid(proowner),"
            " has_function_privilege('public', oid, 'execute')"
            " FROM pg_proc WHERE proname LIKE 'cortex_%'"
        ).fetchall()
    spanning = [row for row in rows if row[1]]
    assert spanning
    assert not [name for name, definer, _, owner, _ in rows if not definer and owner == "cortex_spanning"]
    for name, _, config, owner, public in spanning:
        assert owner == "cortex_spanning", name
        assert config == ["search_path=public, pg_temp"], name
        assert not public, name
    with pytest.raises(Exception, match="permission denied"):
        async with store.database.spanning() as connection:
            await connection.execute(text("SELECT * FROM cortex_replay_tuples()"))
