"""Migrations, on a server of their own: what they make, once and again, and who may log in afterwards."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest

from cortex.adapters.postgres.migrate import upgrade
from cortex.runtime.local import ServerName
from tests.local_servers import LocalServers

pytestmark = pytest.mark.servers

# Tables whose primary key does not begin with the tenant, and why.
NOT_BY_TENANT = {
    "alembic_version": "one row, of the schema itself",
    "event_outbox": "relayed in one order across tenants",
    "tenants": "its id is the tenant",
}
SCHEMA = (
    "SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default, collation_name"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
    "SELECT tablename, policyname, cmd, qual, with_check FROM pg_policies",
    "SELECT oid::regprocedure::text, prosrc, proacl::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    "SELECT relname, relacl::text, relrowsecurity, relforcerowsecurity FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace",
    "SELECT version_num FROM alembic_version",
)


@pytest.fixture(scope="module")
def admin_url() -> Iterator[str]:
    """Of a migrated database that nobody else uses: passwords are the server's, not the database's."""
    servers = LocalServers()
    yield servers.urls(ServerName.POSTGRES)["CORTEX_DATABASE_ADMIN_URL"]
    servers.close()


def schema(url: str) -> list[list[tuple[object, ...]]]:
    with psycopg.connect(url) as connection:
        return [sorted(connection.execute(query.encode()).fetchall(), key=repr) for query in SCHEMA]


def test_upgrading_again_changes_nothing(admin_url: str) -> None:
    before = schema(admin_url)
    assert all(before)
    upgrade(admin_url, service_password="one", replay_password="two")
    assert schema(admin_url) == before


def test_a_fresh_database_gets_the_same_schema(admin_url: str) -> None:
    with psycopg.connect(admin_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
    fresh = urlunsplit(urlsplit(admin_url)._replace(path="/fresh"))
    upgrade(fresh, service_password="one", replay_password="two")
    assert schema(fresh) == schema(admin_url)


def test_two_at_once_wait_for_each_other(admin_url: str) -> None:
    with psycopg.connect(admin_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE raced")
    raced = urlunsplit(urlsplit(admin_url)._replace(path="/raced"))
    with ThreadPoolExecutor(3) as threads:
        started = [threads.submit(upgrade, raced, service_password="one", replay_password="two") for _ in range(3)]
        assert [each.result() for each in started] == [None] * 3
    assert schema(raced) == schema(admin_url)


@pytest.mark.parametrize("password", ["plain", 'it\'s "50%" \\ :@/ äß'])
def test_passwords_are_those_of_the_last_upgrade(admin_url: str, password: str) -> None:
    upgrade(admin_url, service_password="old service", replay_password="old replay")
    upgrade(admin_url, service_password=password, replay_password=f"{password} replay")
    for role, now in (("cortex_service", password), ("cortex_replay", f"{password} replay")):
        with psycopg.connect(_as(admin_url, role, now)) as connection:
            assert connection.execute("SELECT current_user").fetchone() == (role,)
        with pytest.raises(psycopg.OperationalError, match="authentication failed"):
            psycopg.connect(_as(admin_url, role, f"old {role.removeprefix('cortex_')}"))


def _as(url: str, role: str, password: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{quote(password, safe='')}@{parts.netloc.rpartition('@')[2]}"))


def test_every_table_is_kept_by_tenant_or_says_why_not(admin_url: str) -> None:
    with psycopg.connect(admin_url) as connection:
        rows = connection.execute(
            "SELECT t.tablename, a.attname FROM pg_tables t"
            " LEFT JOIN pg_index i ON i.indrelid = format('public.%I', t.tablename)::regclass AND i.indisprimary"
            " LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
            " WHERE t.schemaname = 'public'"
        ).fetchall()
    assert {table for table, first in rows if first != "tenant_id"} == NOT_BY_TENANT.keys()
