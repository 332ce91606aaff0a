"""What there is of a document."""

import asyncio
from collections.abc import AsyncIterator

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.document_rows import raw_key
from cortex.adapters.postgres.erased_rows import take_bytes
from cortex.adapters.postgres.erasing.statements import Statements
from cortex.domain.erasure import Subject
from cortex.domain.errors import NotFound, Transient
from cortex.domain.identity import TenantId
from cortex.ports.object_store import ObjectStore
from cortex.ports.source_writer import SourceWriter

# From here on the same bytes are refused under this id; again at the end, for what came in before the tombstone did.
_REFUSE = (
    "INSERT INTO erased_documents (tenant_id, document_id, content_sha256)"
    " SELECT tenant_id, document_id, content_sha256 FROM document_bytes WHERE document_id = :subject"
    " ON CONFLICT DO NOTHING"
)
_ROW = text("SELECT source_id, external_id, tombstoned_at IS NOT NULL AS tombstoned FROM documents WHERE id = :subject")
_TUPLES = text("SELECT count(*) FROM relation_tuples WHERE owner_id = :subject")
_BYTES = text(
    "SELECT content_sha256 FROM document_bytes WHERE document_id = :subject"
    " UNION SELECT content_sha256 FROM erased_documents WHERE document_id = :subject"
)
_SHARED = text(
    "SELECT EXISTS (SELECT FROM documents WHERE content_sha256 = :content_sha256 AND id <> :subject"
    " AND tombstoned_at IS NULL)"
)
_RUNNING = text("SELECT count(*) FROM answers WHERE state = 'running'")
_QUOTING = (
    "SELECT answer_id FROM answer_citations WHERE document_id = :subject"
    " UNION SELECT id FROM answers WHERE position(:subject_text IN record::text) > 0"
    " UNION SELECT answer_id FROM answer_events WHERE position(:subject_text IN data::text) > 0"
)
ANSWER_WAIT_S = 5.0
ANSWER_LOOKS = 10


class Permissions:
    """First of all: from its tombstone on the document is seen nowhere, whatever is still stored of it."""

    name = "permissions"

    def __init__(self, database: Database, writer: SourceWriter) -> None:
        self._database = database
        self._writer = writer

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_ROW, {"subject": subject.id})).one_or_none()
            tuples = int((await connection.execute(_TUPLES, {"subject": subject.id})).scalar_one())
        return tuples + (row is not None and not row.tombstoned)

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        async with self._database.tenant(tenant) as connection:
            await connection.execute(text(_REFUSE), {"subject": subject.id})
            row = (await connection.execute(_ROW, {"subject": subject.id})).one_or_none()
        if row is not None:
            await self._writer.delete_document(tenant, row.source_id, row.external_id, reason="erased")


class Payloads:
    """Raw bytes and what was parsed of them, of every content that the document ever had and no other has now."""

    name = "object store"

    def __init__(self, database: Database, objects: ObjectStore) -> None:
        self._database = database
        self._objects = objects

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        number = 0
        for content_sha256 in await self._contents(tenant, subject):
            if not await self._shared(tenant, subject, content_sha256):
                number += len([key async for key in self._keys(tenant, content_sha256)])
        return number

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        for content_sha256 in await self._contents(tenant, subject):
            async with self._database.tenant(tenant) as connection:
                await take_bytes(connection, tenant, content_sha256)
                values = {"subject": subject.id, "content_sha256": content_sha256}
                if not (await connection.execute(_SHARED, values)).scalar_one():
                    for key in [key async for key in self._keys(tenant, content_sha256)]:
                        await self._objects.delete(key)

    async def _contents(self, tenant: TenantId, subject: Subject) -> list[str]:
        async with self._database.tenant(tenant) as connection:
            return sorted((await connection.execute(_BYTES, {"subject": subject.id})).scalars())

    async def _shared(self, tenant: TenantId, subject: Subject, content_sha256: str) -> bool:
        values = {"subject": subject.id, "content_sha256": content_sha256}
        async with self._database.tenant(tenant) as connection:
            return bool((await connection.execute(_SHARED, values)).scalar_one())

    async def _keys(self, tenant: TenantId, content_sha256: str) -> AsyncIterator[str]:
        raw = raw_key(tenant, content_sha256)
        try:
            await self._objects.get(raw)
        except NotFound:
            pass
        else:
            yield raw
        async for key in self._objects.keys(f"parsed/{tenant}/{content_sha256}"):
            yield key


class Answers(Statements):
    """Whole answers: what is left of one that quoted the document would still be made of it."""

    def __init__(self, database: Database, *, wait_s: float = ANSWER_WAIT_S) -> None:
        super().__init__(
            database,
            "answers",
            count=f"SELECT count(*) FROM ({_QUOTING}) AS quoting (id)",
            erase=[
                f"DELETE FROM answers WHERE id IN ({_QUOTING})",
                # One of which nothing is left has a title alone, and that is the question of what is gone.
                "DELETE FROM conversations c WHERE NOT EXISTS (SELECT FROM answers a WHERE a.conversation_id = c.id)",
            ],
        )
        self._wait_s = wait_s

    async def erase(self, tenant: TenantId, subject: Subject) -> None:
        """One that is just being given may yet be stored: it began before the tombstone, so its end is waited for."""
        for _ in range(ANSWER_LOOKS):
            async with self._database.tenant(tenant) as connection:
                running = int((await connection.execute(_RUNNING)).scalar_one())
            if running == 0:
                break
            await asyncio.sleep(self._wait_s)
        else:
            raise Transient("answers are still being given", retry_after_s=self._wait_s)
        await super().erase(tenant, subject)


def texts(database: Database) -> Statements:
    """Blocks and chunks of every revision; then vectors that nothing refers to, this document's older ones included."""
    held = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE document_id = :subject" for table in ("blocks", "chunks"))
    return Statements(
        database,
        "text and vectors",
        count=f"SELECT count(*) FROM ({held}) AS held",
        erase=[
            "DELETE FROM blocks WHERE document_id = :subject",
            "DELETE FROM chunks WHERE document_id = :subject",
            "DELETE FROM chunk_vectors v"
            " WHERE NOT EXISTS (SELECT FROM chunks c WHERE c.embedded_sha256 = v.embedded_sha256)",
        ],
    )


def cached_answers(database: Database) -> Statements:
    """What a model wrote from it, or merely had before it when it wrote."""
    made = "key IN (SELECT key FROM cached_answer_documents WHERE document_id = :subject)"
    return Statements(
        database,
        "cached answers",
        count=f"SELECT count(*) FROM cached_answers WHERE {made}",
        erase=[f"DELETE FROM cached_answers WHERE {made}"],
    )


def row(database: Database) -> Statements:
    """Last, since the others look things up in it."""
    return Statements(
        database,
        "document",
        count="SELECT count(*) FROM documents WHERE id = :subject",
        erase=[
            "SELECT 1 FROM documents WHERE id = :subject FOR UPDATE",
            _REFUSE,
            "DELETE FROM source_failures f USING documents d WHERE d.id = :subject AND f.source_id = d.source_id"
            " AND f.external_id = d.external_id",
            "DELETE FROM acl_references WHERE referrer_id = :subject",
            "DELETE FROM document_bytes WHERE document_id = :subject",
            "DELETE FROM documents WHERE id = :subject AND tombstoned_at IS NOT NULL",
        ],
    )
