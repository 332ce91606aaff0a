"""Permissions of a source that is read run out; those of one that is pushed hold until they are replaced."""

import pytest
from sqlalchemy import text

from cortex.adapters.clock import SystemClock
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.reconcile.runs import PostgresReconcileRuns
from cortex.adapters.postgres.settings import PostgresSettings
from cortex.domain.acl import UserRef
from cortex.domain.change import Failure
from cortex.domain.identity import DocumentId, SourceId, source_id
from cortex.domain.limits import Ages
from cortex.ports.source_store import RunCounts
from tests.cortex.adapters.postgres.conftest import Store
from tests.cortex.adapters.postgres.test_source_writer import page

pytestmark = pytest.mark.servers

HOUR_S = 3_600


async def pulled(store: Store) -> tuple[SourceId, DocumentId]:
    source = source_id(store.tenant, "drive")
    await store.sources.add(store.tenant, source, name="drive", type_="files", config={})
    await PostgresSettings(store.database, SystemClock()).set_ages(store.tenant, Ages(acl_age_s_max=HOUR_S))
    return source, (await store.writer.put_document(store.tenant, source, page())).document_id


async def is_there(store: Store, document: DocumentId) -> bool:
    return document in await PostgresDocuments(store.database).live(store.tenant, [document])


async def pass_over(
    store: Store, source: SourceId, run: str, *, failed: str | None = None, error: str | None = None
) -> None:
    await store.sources.start_run(store.tenant, source, run, kind="full")
    failures = [Failure(failed, failed, "cannot be read")] if failed else []
    await store.sources.commit_page(store.tenant, run, before=None, cursor="1", counts=RunCounts(), failures=failures)
    await store.sources.finish_run(store.tenant, run, error=error)


async def hours_pass(store: Store) -> None:
    async with store.database.tenant(store.tenant) as connection:
        for statement in (
            "UPDATE sources SET acl_as_of = acl_as_of - interval '2 hours'",
            "UPDATE source_failures SET since = since - interval '2 hours'",
        ):
            await connection.execute(text(statement))


async def test_a_source_that_is_not_read_any_more_hides_its_documents_and_says_so(store: Store) -> None:
    source, document = await pulled(store)
    assert await is_there(store, document)
    runs = PostgresReconcileRuns(store.database)
    assert await runs.stale(store.tenant) == []
    await hours_pass(store)
    assert not await is_there(store, document)
    [stale] = await runs.stale(store.tenant)
    assert (stale.source, stale.documents) == ("drive", 1)
    await pass_over(store, source, "r1")
    assert await is_there(store, document)
    assert await runs.stale(store.tenant) == []


async def test_a_pass_that_failed_keeps_the_last_good_state_and_its_age(store: Store) -> None:
    source, document = await pulled(store)
    await pass_over(store, source, "r1", error="the folder cannot be read")
    assert await is_there(store, document)
    await hours_pass(store)
    await pass_over(store, source, "r2", error="the folder cannot be read")
    assert not await is_there(store, document)


async def test_an_item_that_fails_for_too_long_is_hidden_alone(store: Store) -> None:
    source, document = await pulled(store)
    other = (await store.writer.put_document(store.tenant, source, page("b.md"))).document_id
    await pass_over(store, source, "r1", failed="a.md")
    assert await is_there(store, document)
    await hours_pass(store)
    await pass_over(store, source, "r2", failed="a.md")
    assert not await is_there(store, document)
    assert await is_there(store, other)
    await pass_over(store, source, "r3")
    assert await is_there(store, document)


async def test_what_is_pushed_holds(store: Store) -> None:
    await PostgresSettings(store.database, SystemClock()).set_ages(store.tenant, Ages(acl_age_s_max=HOUR_S))
    document = (await store.writer.put_document(store.tenant, store.source, page())).document_id
    await hours_pass(store)
    assert await is_there(store, document)


async def test_an_empty_group_that_was_read_is_a_revocation_and_one_that_was_not_is_none(store: Store) -> None:
    ann = await store.directory.put_person(store.tenant, "ann@acme.example", name="Ann", guest=False)
    source, _ = await pulled(store)
    await store.writer.put_group(store.tenant, source, "crew", [UserRef("ann@acme.example")], version=None)
    await pass_over(store, source, "r1", error="the groups cannot be read")
    assert len((await store.directory.expand(store.tenant, ann.id)).groups) == 1
    await store.writer.put_group(store.tenant, source, "crew", [], version=None)
    assert (await store.directory.expand(store.tenant, ann.id)).groups == frozenset()
