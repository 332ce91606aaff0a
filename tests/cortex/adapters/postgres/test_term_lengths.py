"""Lengths are those of live passages, of one tenant, and each passage knows by which average it was weighed."""

import uuid

import pytest

from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.postgres.term_lengths import PostgresTermLengths
from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, chunk_id
from cortex.domain.term_length import AVERAGE_TERMS, TermLengths
from cortex.ports.revision_store import Weighed
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_revisions import cut, put, read

FIRST = DocumentId(uuid.UUID(int=0))

pytestmark = pytest.mark.servers


@pytest.fixture
def lengths(store: Store) -> PostgresTermLengths:
    return PostgresTermLengths(store.database)


async def chunked(store: Store) -> DocumentId:
    document = await put(store)
    revisions = PostgresRevisions(store.database)
    assert await revisions.save_parsed(store.tenant, document, 1, read())
    assert await revisions.save_chunks(store.tenant, document, 1, cut(), title="Hours")
    return document


async def index(store: Store, document: DocumentId) -> None:
    """As `embed` does: by the average of now."""
    revisions = PostgresRevisions(store.database)
    state = await revisions.index_state(store.tenant, document)
    weighed = Weighed(state.average_terms, {chunk_id(document, 1, 0): 8, chunk_id(document, 1, 1): 4})
    assert await revisions.mark_indexed(store.tenant, document, 1, model="m", weighed=weighed)


async def test_only_what_is_indexed_is_counted(store: Store, lengths: PostgresTermLengths) -> None:
    document = await chunked(store)
    assert await lengths.lengths(store.tenant) == TermLengths(AVERAGE_TERMS, 0.0, 0)
    await index(store, document)
    assert await lengths.lengths(store.tenant) == TermLengths(AVERAGE_TERMS, 6.0, 2)
    other = await PostgresTenants(store.database).make(f"t-{uuid.uuid4().hex[:12]}", title="Another")
    assert await lengths.lengths(other) == TermLengths(AVERAGE_TERMS, 0.0, 0)


async def test_what_was_weighed_by_another_average_is_named_until_it_is_indexed_again(
    store: Store, lengths: PostgresTermLengths
) -> None:
    document = await chunked(store)
    await index(store, document)
    assert await lengths.weighed_otherwise(store.tenant, after=FIRST, limit=10) == []
    await lengths.take_up(store.tenant, 31.0)
    event = StageEvent("chunked", store.tenant, store.source, document, 1)
    assert await lengths.weighed_otherwise(store.tenant, after=FIRST, limit=10) == [event]
    assert await lengths.weighed_otherwise(store.tenant, after=document, limit=10) == []
    await index(store, document)
    assert await lengths.weighed_otherwise(store.tenant, after=FIRST, limit=10) == []
    assert (await lengths.lengths(store.tenant)).used == 31.0


async def test_what_is_not_live_yet_or_deleted_is_left_alone(store: Store, lengths: PostgresTermLengths) -> None:
    await chunked(store)
    await lengths.take_up(store.tenant, 31.0)
    assert await lengths.weighed_otherwise(store.tenant, after=FIRST, limit=10) == []
    document = await chunked(store)
    await index(store, document)
    await lengths.take_up(store.tenant, 90.0)
    await store.writer.delete_document(store.tenant, store.source, "a.md", reason="gone")
    assert await lengths.weighed_otherwise(store.tenant, after=FIRST, limit=10) == []
