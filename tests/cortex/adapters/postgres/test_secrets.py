"""Connector secrets in rows that nobody can read or move."""

import json
import uuid
from pathlib import Path

import psycopg
import pytest

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.secrets import PostgresSecrets
from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.domain.errors import Bug, NotFound
from cortex.domain.identity import SourceId
from tests.cortex.adapters.postgres.conftest import Store
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers

VALUES = {"token": "xoxb-not-for-the-database", "password": "ünlesbar"}


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys.json")


@pytest.fixture
def secrets(store: Store, keys: KeyFile) -> PostgresSecrets:
    return PostgresSecrets(store.database, EnvelopeSealer(keys), SystemClock())


async def test_secrets_come_back_and_are_replaced_by_name(store: Store, secrets: PostgresSecrets) -> None:
    place = (store.tenant, store.source)
    await secrets.put(*place, VALUES)
    assert await secrets.get(*place) == VALUES
    await secrets.put(*place, {"token": "another"})
    await secrets.put(*place, {})
    assert await secrets.get(*place) == {**VALUES, "token": "another"}
    assert await secrets.names(*place) == ["password", "token"]


async def test_the_database_holds_no_secret(store: Store, secrets: PostgresSecrets, postgres_url: PostgresUrls) -> None:
    await secrets.put(store.tenant, store.source, VALUES)
    with psycopg.connect(postgres_url.admin) as connection:
        rows = connection.execute("SELECT * FROM source_secrets WHERE tenant_id = %s", [store.tenant]).fetchall()
    stored = b"".join(part if isinstance(part, bytes) else str(part).encode() for row in rows for part in row)
    assert len(rows) == 2
    assert [value for value in VALUES.values() if value.encode() in stored] == []


async def test_a_row_that_was_moved_does_not_open(
    store: Store, secrets: PostgresSecrets, postgres_url: PostgresUrls
) -> None:
    await secrets.put(store.tenant, store.source, VALUES)
    with psycopg.connect(postgres_url.admin, autocommit=True) as connection:
        connection.execute("UPDATE source_secrets SET name = 'other' WHERE name = 'token'")
    with pytest.raises(Bug):
        await secrets.get(store.tenant, store.source)


async def test_after_a_rotation_nothing_needs_the_older_key(
    store: Store, secrets: PostgresSecrets, keys: KeyFile
) -> None:
    place = (store.tenant, store.source)
    await secrets.put(*place, VALUES)
    keys.rotate()
    assert await secrets.rewrap(store.tenant) == 2
    assert await secrets.rewrap(store.tenant) == 0
    keys.retire("1")
    assert await secrets.get(*place) == VALUES


async def test_a_source_that_is_not_there_has_none(store: Store, secrets: PostgresSecrets) -> None:
    absent = SourceId(uuid.uuid4())
    with pytest.raises(NotFound):
        await secrets.put(store.tenant, absent, VALUES)
    assert json.dumps(await secrets.get(store.tenant, absent)) == "{}"
