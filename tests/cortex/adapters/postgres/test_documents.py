"""Which blocks of a live revision hold what was quoted."""

import uuid

import pytest

from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.identity import DocumentId, TenantId
from cortex.domain.privacy import Screened
from cortex.ports.document_reader import Quotation
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_revisions import CLEAN
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

HEADING = Block(0, BlockKind.HEADING, "Hours", level=1)
FIRST = Block(1, BlockKind.PARAGRAPH, "Doors open at 8 % \U0001f600 o'clock.", page=2)
OTHER = Block(2, BlockKind.TABLE, "day: Monday; open: no", line=7)
SECOND = Block(3, BlockKind.MESSAGE, "doors open at nine", message_id="m1", second=1.5)


async def parsed(store: Store, name: str, *blocks: Block) -> DocumentId:
    state = page(name, body=name)
    written = await store.writer.put_document(store.tenant, store.source, state)
    screened = Screened(ParsedDocument(blocks), "Hours", CLEAN)
    await PostgresRevisions(store.database).save_parsed(store.tenant, written.document_id, written.revision, screened)
    return written.document_id


async def test_the_blocks_that_hold_a_quote_and_all_headings(store: Store) -> None:
    documents = PostgresDocuments(store.database)
    one = await parsed(store, "one.md", HEADING, FIRST, OTHER, SECOND)
    two = await parsed(store, "two.md", FIRST)
    found = await documents.quoted(
        store.tenant,
        [
            Quotation(one, 1, "8 % \U0001f600 o'clock"),
            Quotation(one, 1, "oors open at nine"),
            Quotation(one, 1, "nobody said so"),
            Quotation(two, 1, "doors open at nine"),
        ],
    )
    assert found == {one: [HEADING, FIRST, SECOND]}


async def test_words_are_taken_as_they_stand(store: Store) -> None:
    """Another case, another sign for any, another space: none of them is the same."""
    documents = PostgresDocuments(store.database)
    one = await parsed(store, "one.md", FIRST)
    for quote in ("DOORS OPEN", "Doors%open", "Doors  open", "Doors_open", "Doors.open"):
        assert await documents.quoted(store.tenant, [Quotation(one, 1, quote)]) == {}


async def test_another_revision_and_what_is_not_there_hold_nothing(store: Store) -> None:
    documents = PostgresDocuments(store.database)
    one, quote = await parsed(store, "one.md", HEADING, FIRST), "Doors open"
    assert await documents.quoted(store.tenant, [Quotation(one, 2, quote)]) == {}
    assert await documents.quoted(store.tenant, [Quotation(DocumentId(uuid.UUID(int=5)), 1, quote)]) == {}
    assert await documents.quoted(TenantId(uuid.UUID(int=9)), [Quotation(one, 1, quote)]) == {}
    assert await documents.quoted(store.tenant, []) == {}
