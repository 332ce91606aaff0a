"""Documents by the beginning of a word of their title or author."""

import uuid
from collections.abc import Mapping

import psycopg
import pytest
from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.profiles import PostgresProfiles
from cortex.adapters.postgres.suggestions import OF_AN_AUTHOR, PostgresSuggestions
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.domain.errors import NotFound
from cortex.domain.identity import DocumentId, TenantId
from cortex.ports.suggestion_store import Named
from cortex.testing.answer_store import new_person
from tests.cortex.adapters.postgres.conftest import Store
from tests.local_servers import PostgresUrls

pytestmark = pytest.mark.servers

_ADD = text(
    "INSERT INTO documents (tenant_id, id, source_id, external_id, name, title, url, author, mime, ingested_at,"
    " raw_key, content_sha256, revision_sha256, metadata_sha256, acl_sha256, acl_resolved, pipeline_version,"
    " revision, metadata_revision, acl_revision, indexed_revision)"
    " VALUES (:tenant, :id, :source, :external, '', :title, '', :author, '', now(), '', '', '', '', '', '{}', '',"
    " 1, 1, 1, :indexed)"
)


@pytest.fixture
def suggestions(database: Database) -> PostgresSuggestions:
    return PostgresSuggestions(database)


@pytest.fixture
async def tenant(database: Database) -> TenantId:
    return await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")


async def add(
    database: Database, tenant: TenantId, title: str, *, author: str | None = None, indexed: int = 1
) -> DocumentId:
    document = DocumentId(uuid.uuid4())
    values: Mapping[str, object] = {
        "tenant": tenant,
        "id": document,
        "source": uuid.uuid4(),
        "external": str(document),
        "title": title,
        "author": author,
        "indexed": indexed,
    }
    async with database.tenant(tenant) as connection:
        await connection.execute(_ADD, values)
    return document


async def beginning(
    suggestions: PostgresSuggestions, tenant: TenantId, prefix: str, *, named: Named = Named.TITLE
) -> list[DocumentId]:
    return [one.document_id for one in await suggestions.candidates(tenant, named, prefix, limit=9) if one.begins]


async def test_any_word_of_a_title_may_begin_so_in_any_case(
    database: Database, suggestions: PostgresSuggestions, tenant: TenantId
) -> None:
    keys = await add(database, tenant, "How to rotate KEYS (2026)")
    german = await add(database, tenant, "Übergabe an das Büro")
    chinese = await add(database, tenant, "防静电规范")
    percent = await add(database, tenant, "100% of_it")

    async def found(prefix: str) -> list[DocumentId]:
        return await beginning(suggestions, tenant, prefix)

    assert await found("rot") == await found("Rotate ke") == await found("2026") == [keys]
    assert await found("otate") == []
    assert await found("ÜBER") == await found("büro") == [german]
    assert await found("静电") == [chinese]
    assert await found("100%") == [percent]
    assert await found("%") == await found("_") == []


async def test_only_what_is_live_and_indexed_is_named(
    database: Database, suggestions: PostgresSuggestions, tenant: TenantId
) -> None:
    await add(database, tenant, "Secret of the raw title", indexed=0)
    gone = await add(database, tenant, "Secret that is gone")
    there = await add(database, tenant, "Secret")
    async with database.tenant(tenant) as connection:
        await connection.execute(text("UPDATE documents SET tombstoned_at = now() WHERE id = :id"), {"id": gone})
    assert await beginning(suggestions, tenant, "secret") == [there]
    other = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="Another")
    assert await beginning(suggestions, other, "secret") == []


@pytest.mark.parametrize("named", list(Named))
async def test_as_many_candidates_come_whatever_begins_so(
    database: Database, suggestions: PostgresSuggestions, tenant: TenantId, named: Named
) -> None:
    """First those that begin so, then what follows them in the order of names, and round it from its start."""
    documents = [await add(database, tenant, name, author=name) for name in ("Anna", "Bea", "Cem", "Dora")]
    for prefix, first, begin in (("c", 2, 1), ("b", 1, 1), ("z", 0, 0), ("", 0, 4), ("dora", 3, 1), ("bear", 2, 0)):
        found = await suggestions.candidates(tenant, named, prefix, limit=9)
        assert [one.document_id for one in found] == documents[first:] + documents[:first], prefix
        assert [one.begins for one in found] == [True] * begin + [False] * (4 - begin), prefix
    assert len(await suggestions.candidates(tenant, named, "c", limit=3)) == 3


async def test_it_follows_what_a_document_is_called(
    database: Database, suggestions: PostgresSuggestions, tenant: TenantId
) -> None:
    document = await add(database, tenant, "Old name", author="Ann Vogel")
    async with database.tenant(tenant) as connection:
        change = text("UPDATE documents SET title = 'New name', author = NULL WHERE id = :id")
        await connection.execute(change, {"id": document})
    assert await beginning(suggestions, tenant, "old") == []
    assert await beginning(suggestions, tenant, "new") == [document]
    assert await beginning(suggestions, tenant, "ann", named=Named.AUTHOR) == []
    async with database.tenant(tenant) as connection:
        await connection.execute(text("DELETE FROM documents WHERE id = :id"), {"id": document})
        assert (await connection.execute(text("SELECT count(*) FROM suggestions"))).scalar_one() == 0


async def test_one_author_does_not_take_all_places(
    database: Database, suggestions: PostgresSuggestions, tenant: TenantId
) -> None:
    for n in range(OF_AN_AUTHOR + 3):
        await add(database, tenant, f"Paper {n}", author="Ann Vogel <ann@acme.example>")
    bob = await add(database, tenant, "Paper", author="Bob Vogt")
    found = await beginning(suggestions, tenant, "vog", named=Named.AUTHOR)
    assert len(found) == OF_AN_AUTHOR + 1
    assert found[-1] == bob


async def test_the_range_is_read_from_the_index(store: Store, postgres_url: PostgresUrls) -> None:
    """Comparisons below row-level security reach the index only where they are leakproof."""
    with psycopg.connect(postgres_url.admin) as connection:
        # On an empty table another index looks as cheap; the change is rolled back.
        connection.execute("DROP INDEX suggestions_by_document")
        connection.execute("SET LOCAL ROLE cortex_service")
        connection.execute("SELECT set_config('cortex.tenant', %s, true)", (str(store.tenant),))
        connection.execute("SET LOCAL enable_seqscan = off")
        rows = connection.execute(
            "EXPLAIN SELECT document_id FROM suggestions WHERE kind = 'title'"
            " AND start >= cortex_folded('rot') AND start < cortex_folded('rot') || 'z'"
        ).fetchall()
        connection.rollback()
    condition = next(line for (line,) in rows if "Index Cond" in line)
    assert "start" in condition, rows


async def test_a_profile_is_ones_own(store: Store) -> None:
    person = await store.directory.put_person(store.tenant, "eve@acme.example", name="Eve", guest=True)
    profile = await PostgresProfiles(store.database).profile(store.tenant, person.id)
    assert (profile.name, profile.email, profile.guest) == ("Eve", "eve@acme.example", True)
    assert profile.tenant_title == "A test"
    with pytest.raises(NotFound):
        await PostgresProfiles(store.database).profile(store.tenant, new_person())
