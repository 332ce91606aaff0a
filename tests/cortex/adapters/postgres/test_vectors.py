"""Vectors in Postgres keep to both contracts, and go when nothing has needed them for a while."""

import uuid
from collections.abc import Mapping

import pytest
from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.postgres.vectors import PostgresVectors
from cortex.domain.encoding import PassageEncoding, StoredTokens
from cortex.domain.identity import TenantId
from cortex.testing.token_vector_store import OTHER_TENANT, TENANT, Subject, TokenVectorStoreContract
from cortex.testing.vector_cache import MODEL, VectorCacheContract, encoding

pytestmark = pytest.mark.servers


@pytest.fixture
def vectors(database: Database) -> PostgresVectors:
    return PostgresVectors(database)


async def new_tenant(database: Database) -> TenantId:
    return await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A test")


@pytest.fixture
async def tenant(database: Database) -> TenantId:
    return await new_tenant(database)


class TestCache(VectorCacheContract):
    @pytest.fixture
    async def other_tenant(self, database: Database) -> TenantId:
        return await new_tenant(database)


class TestTokens(TokenVectorStoreContract):
    @pytest.fixture
    async def subject(self, database: Database, vectors: PostgresVectors) -> Subject:
        for tenant in (TENANT, OTHER_TENANT):
            async with database.tenant(tenant) as connection:
                await connection.execute(text("DELETE FROM chunk_vectors"))

        async def put(tenant: TenantId, model_key: str, tokens: Mapping[str, StoredTokens]) -> None:
            encodings = {key: PassageEncoding(bytes(8), stored, truncated=False) for key, stored in tokens.items()}
            await vectors.save(tenant, model_key=model_key, encodings=encodings)

        return Subject(vectors, put)


async def refer_to(database: Database, tenant: TenantId, embedded_sha256: str) -> None:
    """A chunk with that hash."""
    async with database.tenant(tenant) as connection:
        await connection.execute(
            text(
                "INSERT INTO chunks (tenant_id, id, document_id, revision, ordinal, text, heading_path, anchors,"
                " language, tokens, embedded_sha256, pipeline_version)"
                " VALUES (:tenant, gen_random_uuid(), gen_random_uuid(), 1, 0, '', '{}', '[]', 'en', 1, :hash, '1')"
            ),
            {"tenant": tenant, "hash": embedded_sha256},
        )


async def stored(vectors: PostgresVectors, tenant: TenantId) -> int:
    return await vectors.count(tenant, model_key=MODEL)


async def test_what_no_chunk_refers_to_goes_after_the_grace(
    database: Database, vectors: PostgresVectors, tenant: TenantId
) -> None:
    await vectors.save(tenant, model_key=MODEL, encodings={"kept": encoding(1.0), "orphan": encoding(1.0)})
    await refer_to(database, tenant, "kept")
    assert await vectors.sweep(tenant, grace_s=3600) == 0
    assert await vectors.sweep(tenant, grace_s=3600) == 0
    assert await vectors.sweep(tenant, grace_s=0) == 1
    found = await vectors.dense(tenant, model_key=MODEL, embedded_sha256s=["kept", "orphan"])
    assert found.keys() == {"kept"}


async def test_what_was_taken_up_again_stays(vectors: PostgresVectors, tenant: TenantId) -> None:
    """`embed` has read it and is about to write the chunk that refers to it."""
    await vectors.save(tenant, model_key=MODEL, encodings={"a": encoding(1.0)})
    await vectors.sweep(tenant, grace_s=3600)
    await vectors.dense(tenant, model_key=MODEL, embedded_sha256s=["a"])
    assert await vectors.sweep(tenant, grace_s=0) == 0
    assert await stored(vectors, tenant) == 1


async def test_a_sweep_leaves_other_tenants_alone(
    database: Database, vectors: PostgresVectors, tenant: TenantId
) -> None:
    other = await new_tenant(database)
    for each in (tenant, other):
        await vectors.save(each, model_key=MODEL, encodings={"a": encoding(1.0)})
        await vectors.sweep(each, grace_s=3600)
    assert await vectors.sweep(tenant, grace_s=0) == 1
    assert await stored(vectors, other) == 1
