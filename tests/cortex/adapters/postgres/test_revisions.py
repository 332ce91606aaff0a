"""A stage's write counts while its revision is the latest and the document is there, and not a moment longer."""

import asyncio
import uuid
from dataclasses import replace
from types import MappingProxyType

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.revisions import PostgresRevisions
from cortex.domain.chunk import Chunk, Span
from cortex.domain.document import Block, BlockKind, ParsedDocument
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId, chunk_id
from cortex.domain.privacy import PrivacyReport, Screened
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.ports.revision_store import Weighed
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

WEIGHED = Weighed(AVERAGE_TERMS, {})
CLEAN = PrivacyReport(MappingProxyType({}), altered=False, quarantined=False)


@pytest.fixture
def revisions(store: Store) -> PostgresRevisions:
    return PostgresRevisions(store.database)


async def put(store: Store, body: str = "Doors open at eight.", *, author: str | None = None) -> DocumentId:
    state = page(body=body, author=author)
    return (await store.writer.put_document(store.tenant, store.source, state)).document_id


def read(text: str = "Doors open at eight.") -> Screened:
    blocks = (Block(0, BlockKind.HEADING, "Hours", level=1), Block(1, BlockKind.PARAGRAPH, text, page=2))
    return Screened(ParsedDocument(blocks, author="ann@acme.example"), "Opening hours", CLEAN)


def cut(text: str = "Doors open at eight.") -> list[Chunk]:
    return [
        Chunk(0, text, (Span(1, 0, len(text)),), ("Hours",), "en", 9),
        Chunk(1, text[:5], (Span(1, 0, 5),), (), "en", 5),
    ]


async def test_a_revision_goes_through_its_stages(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    place = (store.tenant, document, 1)
    assert (await revisions.latest(store.tenant, document)).indexed_revision == 0
    assert await revisions.save_parsed(*place, read())
    assert await revisions.blocks(*place) == list(read().parsed.blocks)
    assert (await revisions.latest(store.tenant, document)).title == "Opening hours"
    assert await revisions.save_chunks(*place, cut(), title="Opening hours")
    chunks = await revisions.chunks(*place)
    assert [chunk.chunk_id for chunk in chunks] == [chunk_id(document, 1, 0), chunk_id(document, 1, 1)]
    assert chunks[0].embedded == "Opening hours\nHours\nDoors open at eight."
    assert await revisions.mark_indexed(*place, model="model@1:0", weighed=WEIGHED)
    assert (await revisions.latest(store.tenant, document)).indexed_revision == 1


async def test_every_stage_may_run_again(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    place = (store.tenant, document, 1)
    for _ in range(2):
        assert await revisions.save_parsed(*place, read())
        assert await revisions.save_chunks(*place, cut(), title="Opening hours")
        assert await revisions.mark_indexed(*place, model="model@1:0", weighed=WEIGHED)
    assert len(await revisions.chunks(*place)) == 2


async def refused(store: Store, revisions: PostgresRevisions, document: DocumentId, revision: int) -> None:
    place = (store.tenant, document, revision)
    assert not await revisions.save_parsed(*place, read())
    assert not await revisions.save_chunks(*place, cut(), title="Opening hours")
    assert not await revisions.mark_indexed(*place, model="model@1:0", weighed=WEIGHED)
    assert await revisions.blocks(*place) == []
    assert await revisions.chunks(*place) == []


async def test_an_older_revision_is_refused(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await put(store, "Doors open at nine.")
    await refused(store, revisions, document, 1)
    assert await revisions.save_parsed(store.tenant, document, 2, read())


async def test_a_revision_that_is_not_there_yet_is_refused(store: Store, revisions: PostgresRevisions) -> None:
    await refused(store, revisions, await put(store), 2)


async def test_a_tombstone_refuses_everything(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await store.writer.delete_document(store.tenant, store.source, "a.md", reason="deleted")
    await refused(store, revisions, document, 1)
    assert (await revisions.latest(store.tenant, document)).tombstoned
    assert (await revisions.index_state(store.tenant, document)).tombstoned


async def test_a_document_that_was_erased_is_not_found(store: Store, revisions: PostgresRevisions) -> None:
    gone = DocumentId(uuid.uuid4())
    for call in (revisions.latest(store.tenant, gone), revisions.index_state(store.tenant, gone)):
        with pytest.raises(NotFound):
            await call


async def test_a_newer_write_waits_for_a_revision_that_is_going_live(
    store: Store, revisions: PostgresRevisions
) -> None:
    """Both want the row's lock: whoever comes first, what is live is never newer than what is latest."""
    document = await put(store)
    await asyncio.gather(
        revisions.mark_indexed(store.tenant, document, 1, model="model@1:0", weighed=WEIGHED),
        put(store, "Doors open at nine."),
    )
    latest = await revisions.latest(store.tenant, document)
    assert (latest.revision, latest.indexed_revision) in {(2, 0), (2, 1)}


async def test_old_blocks_and_chunks_are_forgotten_below_a_revision(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await revisions.save_parsed(store.tenant, document, 1, read())
    await revisions.save_chunks(store.tenant, document, 1, cut(), title="Opening hours")
    await put(store, "Doors open at nine.")
    await revisions.save_parsed(store.tenant, document, 2, read())
    await revisions.save_chunks(store.tenant, document, 2, cut(), title="Opening hours")
    for _ in range(2):
        await revisions.forget_below(store.tenant, document, 2)
    assert await revisions.chunks(store.tenant, document, 1) == []
    assert await revisions.blocks(store.tenant, document, 1) == []
    assert len(await revisions.chunks(store.tenant, document, 2)) == 2


async def failures(store: Store) -> list[str]:
    return [failure.message for failure in await store.sources.failures(store.tenant, store.source, limit=10)]


async def test_a_failure_is_shown_until_the_document_is_read(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await revisions.fail(store.tenant, document, 1, stage="parse", message="encrypted")
    await revisions.fail(store.tenant, document, 1, stage="parse", message="encrypted PDF")
    assert await failures(store) == ["parse: encrypted PDF"]
    await revisions.save_parsed(store.tenant, document, 1, read())
    assert await failures(store) == []


async def test_an_unreadable_document_is_named_by_its_external_id_and_counted(
    store: Store, revisions: PostgresRevisions
) -> None:
    state = replace(page(), external_id="eng/keys.md", name="keys.md")
    document = (await store.writer.put_document(store.tenant, store.source, state)).document_id
    await revisions.fail(store.tenant, document, 1, stage="parse", message="encrypted")
    (failure,) = await store.sources.failures(store.tenant, store.source, limit=10)
    assert failure.place == "eng/keys.md"
    counts = await store.sources.counts(store.tenant, store.source)
    assert (counts["unreadable"], counts["not_read"]) == (1, 0)


async def test_a_failure_of_an_older_revision_is_nobodys_business(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await put(store, "Doors open at nine.")
    await revisions.fail(store.tenant, document, 1, stage="parse", message="encrypted")
    assert await failures(store) == []


async def test_the_index_learns_who_wrote_it_and_where_it_lies(store: Store, revisions: PostgresRevisions) -> None:
    ann = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    document = await put(store, author="Ann@acme.example")
    state = await revisions.index_state(store.tenant, document)
    assert (state.source_type, state.source_id) == ("push", store.source)
    assert state.metadata.author_ids == (ann.id,)
    assert (state.metadata_revision, state.acl_revision, state.tombstoned) == (1, 1, False)


async def test_a_chunk_names_the_model_that_embedded_it(store: Store, revisions: PostgresRevisions) -> None:
    document = await put(store)
    await revisions.save_parsed(store.tenant, document, 1, read())
    await revisions.save_chunks(store.tenant, document, 1, cut(), title="Opening hours")
    weighed = Weighed(AVERAGE_TERMS, {chunk_id(document, 1, 0): 4, chunk_id(document, 1, 1): 1})
    await revisions.mark_indexed(store.tenant, document, 1, model="model@1:0", weighed=weighed)
    async with store.database.tenant(store.tenant) as connection:
        rows = await connection.execute(text("SELECT DISTINCT model FROM chunks"))
        assert list(rows.scalars()) == ["model@1:0"]
