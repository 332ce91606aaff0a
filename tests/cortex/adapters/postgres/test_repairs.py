"""A container's change reaches everything below it in bounded batches, and repairs of one container come together."""

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.repairs import IndexRepairs
from cortex.domain.acl import parse_acl
from cortex.domain.change import ContainerState
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

DOCUMENTS = 2_000
BATCH = 500

_COUNTS = text(
    "SELECT count(*) FILTER (WHERE kind = 'ACL'), count(*) FILTER (WHERE kind = 'METADATA'),"
    " (SELECT count(*) FROM acl_repairs) FROM (SELECT split_part(subject, '.', 4) AS kind FROM event_outbox) AS events"
)
# Copies of one document that was written in the ordinary way.
_COPY = text(
    "INSERT INTO documents SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),"
    " 'external_id', d.external_id || n))).* FROM documents d, generate_series(1, :more) AS n"
)


async def below_one_container(store: Store, *, documents: int = DOCUMENTS) -> None:
    open_to_all = parse_acl({"public": "tenant"})
    put = store.writer.put_container
    await put(store.tenant, store.source, ContainerState("old", None, open_to_all))
    await put(store.tenant, store.source, ContainerState("space", "old", None))
    await put(store.tenant, store.source, ContainerState("space/inner", "space", None))
    await store.writer.put_document(store.tenant, store.source, page("a.md", container="space/inner", acl=None))
    async with store.database.tenant(store.tenant) as connection:
        await connection.execute(_COPY, {"more": documents - 1})
        await connection.execute(text("DELETE FROM event_outbox"))


async def change(store: Store, name: str = "space", parent: str | None = None) -> None:
    acl = parse_acl({"allow": [f"user:ann{name.count('x')}@acme.example"]})
    await store.writer.put_container(store.tenant, store.source, ContainerState(name, parent, acl))


async def counts(store: Store) -> tuple[int, int, int]:
    """Events of the two kinds, and repairs that are left."""
    async with store.database.tenant(store.tenant) as connection:
        acl, metadata, repairs = (await connection.execute(_COUNTS)).one()
    return acl, metadata, repairs


async def test_a_move_of_two_thousand_documents_goes_in_batches(store: Store) -> None:
    await below_one_container(store)
    await change(store, parent=None)
    repairs = IndexRepairs(store.database, SystemClock(), batch=BATCH)
    done = []
    while await repairs.repair_batch(store.tenant):
        done.append((await counts(store))[0])
    assert done[:4] == [500, 1_000, 1_500, 2_000]
    assert await counts(store) == (DOCUMENTS, DOCUMENTS, 0)
    async with store.database.tenant(store.tenant) as connection:
        revisions = await connection.execute(text("SELECT DISTINCT acl_revision FROM documents"))
        assert revisions.scalars().all() == [2]


async def test_several_changes_of_one_container_are_one_repair(store: Store) -> None:
    await below_one_container(store, documents=20)
    for parent in ("old", None, "old", None):
        await change(store, parent=parent)
    assert (await counts(store))[2] == 1
    repairs = IndexRepairs(store.database, SystemClock(), batch=BATCH)
    while await repairs.repair_batch(store.tenant):
        pass
    assert await counts(store) == (20, 20, 0)


async def test_a_change_in_the_middle_of_a_repair_begins_it_anew(store: Store) -> None:
    await below_one_container(store, documents=20)
    await change(store, parent="old")
    repairs = IndexRepairs(store.database, SystemClock(), batch=12)
    assert await repairs.repair_batch(store.tenant)
    await change(store, parent=None)
    while await repairs.repair_batch(store.tenant):
        pass
    acl, _, left = await counts(store)
    assert (acl, left) == (12 + 20, 0)
