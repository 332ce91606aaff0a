"""The switch of a source, what it makes anew, and contexts that are embedded and never shown."""

import uuid
from dataclasses import replace

import pytest

from cortex.adapters.postgres.contextual import PostgresContextSwitch
from cortex.adapters.postgres.reprocessing import Reprocessing
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.domain.chunk import Chunk, Span, embedded_sha256, embedded_text
from cortex.domain.errors import NotFound
from cortex.domain.identity import SourceId
from cortex.domain.privacy import PrivacyRules
from cortex.ports.audit_log import AuditEntry
from cortex.ports.source_writer import Written
from cortex.testing.sources import FixedClock
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers


@pytest.fixture
def switch(store: Store) -> PostgresContextSwitch:
    return PostgresContextSwitch(store.database, FixedClock())


async def put(store: Store) -> Written:
    [written] = await store.writer.put_documents(store.tenant, store.source, [page("a.md", body="It rose.")])
    assert isinstance(written, Written)
    return written


async def test_a_change_makes_the_source_anew_once(store: Store, switch: PostgresContextSwitch) -> None:
    written, revisions = await put(store), PostgresRevisions(store.database)
    reprocessing = Reprocessing(store.database, FixedClock(), recogniser="")
    assert await switch.contextual(store.tenant, store.source) is False
    assert not await switch.set_contextual(store.tenant, store.source, contextual=False)
    for contextual, revision in ((True, 2), (False, 3)):
        assert await switch.set_contextual(store.tenant, store.source, contextual=contextual)
        while await reprocessing.reprocess_batch(store.tenant):
            pass
        latest = await revisions.latest(store.tenant, written.document_id)
        assert (latest.contextual, latest.revision) == (contextual, revision)
    again = await put(store)
    assert again.revision == 3, "the same again is the same"


async def test_what_comes_in_afterwards_is_not_made_twice(store: Store, switch: PostgresContextSwitch) -> None:
    await switch.set_contextual(store.tenant, store.source, contextual=True)
    written = await put(store)
    reprocessing = Reprocessing(store.database, FixedClock(), recogniser="")
    while await reprocessing.reprocess_batch(store.tenant):
        pass
    latest = await PostgresRevisions(store.database).latest(store.tenant, written.document_id)
    assert (latest.contextual, latest.revision) == (True, 1)


async def test_a_context_is_part_of_what_is_embedded(store: Store) -> None:
    written, revisions = await put(store), PostgresRevisions(store.database)
    chunk = Chunk(0, "It rose.", (Span(0, 0, 8),), (), "en", 9, context="About the revenue.")
    place = (store.tenant, written.document_id, written.revision)
    async with store.database.tenant(store.tenant) as connection:
        await connection.exec_driver_sql(
            "INSERT INTO blocks (tenant_id, document_id, revision, blocks) VALUES (%s, %s, %s, %s)",
            (*place, '[{"kind": "paragraph", "text": "It rose."}]'),
        )
    assert await revisions.save_chunks(*place, [chunk], title="Report")
    (found,) = await revisions.chunks(*place)
    latest = await revisions.latest(store.tenant, written.document_id)
    assert "About the revenue." in found.embedded
    assert found.embedded == embedded_text(latest.title, (), "It rose.", "About the revenue.")
    assert found.embedded_sha256 == embedded_sha256(embedded_text("Report", (), "It rose.", "About the revenue."))


async def test_a_source_that_is_not_there_has_no_switch(store: Store, switch: PostgresContextSwitch) -> None:
    absent = SourceId(uuid.uuid4())
    with pytest.raises(NotFound):
        await switch.contextual(store.tenant, absent)
    with pytest.raises(NotFound):
        await switch.audited(AuditEntry("a", "source.context", "x")).set_contextual(
            store.tenant, absent, contextual=True
        )


def test_a_context_is_part_of_what_a_revision_stands_for() -> None:
    rules = PrivacyRules()
    assert rules.key("r") != replace(rules, contextual=True).key("r")
