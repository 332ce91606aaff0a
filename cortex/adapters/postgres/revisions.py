"""Blocks and chunks of a revision, and which revision is live (ports/revision_store.py)."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.adapters.postgres.acl_rows import as_json, containers_above, leads_to, stored_node
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.documents import blocks_from_json, blocks_json
from cortex.adapters.postgres.privacy_rows import counts_json
from cortex.domain.acl import Node
from cortex.domain.acl_index import index_acl
from cortex.domain.chunk import Chunk, embedded_sha256, embedded_text
from cortex.domain.document import Block
from cortex.domain.errors import NotFound
from cortex.domain.identity import ContainerId, DocumentId, TenantId, chunk_id
from cortex.domain.privacy import Screened
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import IndexMetadata
from cortex.ports.revision_store import IndexedChunk, IndexState, LatestRevision, Weighed

_LATEST = text(
    "SELECT d.id, d.source_id, d.external_id, d.revision, d.indexed_revision, d.title, d.given_title, d.name, d.mime,"
    " d.raw_key, d.content_sha256, d.tombstoned_at IS NOT NULL AS tombstoned,"
    " d.released_sha256 IS NOT DISTINCT FROM d.content_sha256 AS released, s.contextual"
    " FROM documents d JOIN sources s ON s.id = d.source_id WHERE d.id = :document"
)
# Holds the row, so that no newer revision or tombstone can come before the caller's transaction ends.
_STILL_LATEST = text(
    "SELECT 1 FROM documents WHERE id = :document AND revision = :revision AND tombstoned_at IS NULL FOR UPDATE"
)
_BLOCKS = text("SELECT blocks FROM blocks WHERE document_id = :document AND revision = :revision")
_SAVE_BLOCKS = text(
    "INSERT INTO blocks (tenant_id, document_id, revision, blocks)"
    " VALUES (:tenant, :document, :revision, CAST(:blocks AS jsonb))"
    " ON CONFLICT (tenant_id, document_id, revision) DO UPDATE SET blocks = excluded.blocks"
)
_PARSED = text(
    "UPDATE documents SET title = :title, author = coalesce(author, :author), stage = 'parsed', altered = :altered,"
    " quarantined = :quarantined, privacy_counts = CAST(:counts AS jsonb) WHERE id = :document"
)
_FORGET_CHUNKS = text("DELETE FROM chunks WHERE document_id = :document AND revision = :revision")
_SAVE_CHUNK = text(
    "INSERT INTO chunks (tenant_id, id, document_id, revision, ordinal, text, heading_path, anchors, language, tokens,"
    " context, embedded_sha256, pipeline_version)"
    " SELECT :tenant, :id, :document, :revision, :ordinal, :text, :heading_path,"
    " CAST(:anchors AS jsonb), :language, :tokens, :context, :embedded_sha256, pipeline_version FROM documents"
    " WHERE id = :document"
)
_STAGE = text("UPDATE documents SET stage = :stage WHERE id = :document")
_CHUNKS = text(
    "SELECT c.id, c.ordinal, c.text, c.heading_path, c.language, c.context, c.embedded_sha256, d.title"
    " FROM chunks c JOIN documents d ON d.id = c.document_id"
    " WHERE c.document_id = :document AND c.revision = :revision ORDER BY c.ordinal"
)
_INDEX_STATE = text(
    "SELECT s.type, d.source_id, d.container_id, e.person_id AS author_id, d.created_at, d.updated_at,"
    " d.metadata_revision, d.acl_revision, d.acl_resolved, d.sharing_approved,"
    " d.tombstoned_at IS NOT NULL AS tombstoned,"
    " coalesce((SELECT average_terms FROM tenant_settings), :start) AS average_terms"
    " FROM documents d JOIN sources s ON s.id = d.source_id LEFT JOIN person_emails e ON e.email = lower(d.author)"
    " WHERE d.id = :document"
)
_INDEXED = text("UPDATE documents SET indexed_revision = :revision, stage = 'indexed' WHERE id = :document")
_WEIGHED = text(
    "UPDATE chunks c SET model = :model, average_terms = :average, terms = w.terms"
    " FROM unnest(CAST(:ids AS uuid[]), CAST(:lengths AS integer[])) AS w (id, terms)"
    " WHERE c.id = w.id AND c.document_id = :document AND c.revision = :revision"
)
_FORGET_FAILURES = text(
    "DELETE FROM source_failures f USING documents d WHERE d.id = :document AND f.source_id = d.source_id"
    " AND f.external_id = d.external_id AND f.stage <> 'fetch'"
)
_FORGET_BLOCKS_BELOW = text("DELETE FROM blocks WHERE document_id = :document AND revision < :revision")
_FORGET_CHUNKS_BELOW = text("DELETE FROM chunks WHERE document_id = :document AND revision < :revision")
# No question finds them any more, since their key holds the revision; what they hold is still its text.
_FORGET_CACHED_ANSWERS = text(
    "DELETE FROM cached_answers WHERE key IN (SELECT key FROM cached_answer_documents WHERE document_id = :document)"
)
_FAIL = text(
    "INSERT INTO source_failures (tenant_id, source_id, external_id, stage, place, message)"
    " SELECT tenant_id, source_id, external_id, :stage, external_id, :message FROM documents"
    " WHERE id = :document AND revision = :revision AND tombstoned_at IS NULL"
    " ON CONFLICT (tenant_id, source_id, external_id, stage) DO UPDATE SET message = excluded.message, at = now()"
)
_FAILED = text("UPDATE documents SET stage = 'failed' WHERE id = :document AND revision = :revision")


class PostgresRevisions:
    """Implements RevisionStore and IndexStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_LATEST, {"document": document})).one_or_none()
        if row is None:
            raise NotFound("the document is gone")
        return LatestRevision(*row)

    async def save_parsed(self, tenant: TenantId, document: DocumentId, revision: int, screened: Screened) -> bool:
        parsed, report = screened.parsed, screened.report
        async with self._database.tenant(tenant) as connection:
            if not await _still_latest(connection, document, revision):
                return False
            blocks = as_json(blocks_json(parsed.blocks))
            values = {"tenant": tenant, "document": document, "revision": revision, "blocks": blocks}
            await connection.execute(_SAVE_BLOCKS, values)
            if parsed.blocks:
                await connection.execute(_FORGET_FAILURES, {"document": document})
            described = {
                "title": screened.title,
                "author": parsed.author,
                "altered": report.altered,
                "quarantined": report.quarantined,
                "counts": as_json(counts_json(report.counts)),
            }
            await connection.execute(_PARSED, {"document": document} | described)
            return True

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "revision": revision}
            stored = (await connection.execute(_BLOCKS, values)).scalar_one_or_none()
        return blocks_from_json(stored or [])

    async def save_chunks(
        self, tenant: TenantId, document: DocumentId, revision: int, chunks: Sequence[Chunk], *, title: str
    ) -> bool:
        async with self._database.tenant(tenant) as connection:
            if not await _still_latest(connection, document, revision):
                return False
            place = {"tenant": tenant, "document": document, "revision": revision}
            stored = (await connection.execute(_BLOCKS, place)).scalar_one_or_none()
            blocks = blocks_from_json(stored or [])
            await connection.execute(_FORGET_CHUNKS, place)
            rows = [place | _chunk_row(document, revision, chunk, blocks, title) for chunk in chunks]
            if rows:
                await connection.execute(_SAVE_CHUNK, rows)
            await connection.execute(_STAGE, {"stage": "chunked", "document": document})
            return True

    async def chunks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[IndexedChunk]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_CHUNKS, {"document": document, "revision": revision})
            return [
                IndexedChunk(
                    chunk_id=row.id,
                    ordinal=row.ordinal,
                    embedded=embedded_text(row.title, tuple(row.heading_path), row.text, row.context),
                    embedded_sha256=row.embedded_sha256,
                    language=row.language,
                )
                for row in rows
            ]

    async def index_state(self, tenant: TenantId, document: DocumentId) -> IndexState:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "start": AVERAGE_TERMS}
            row = (await connection.execute(_INDEX_STATE, values)).one_or_none()
            if row is None:
                raise NotFound("the document is gone")
            node = stored_node(row.acl_resolved, row.container_id, row.sharing_approved)
            above = await containers_above(connection, leads_to(node))
        return IndexState(
            source_type=row.type,
            source_id=row.source_id,
            metadata=IndexMetadata(
                container_ids=_chain(row.container_id, above),
                author_ids=(row.author_id,) if row.author_id else (),
                created_at=row.created_at,
                updated_at=row.updated_at,
            ),
            metadata_revision=row.metadata_revision,
            acl=index_acl(node, above),
            acl_revision=row.acl_revision,
            tombstoned=row.tombstoned,
            average_terms=float(row.average_terms),
        )

    async def mark_indexed(
        self, tenant: TenantId, document: DocumentId, revision: int, *, model: str, weighed: Weighed
    ) -> bool:
        async with self._database.tenant(tenant) as connection:
            if not await _still_latest(connection, document, revision):
                return False
            place = {"document": document, "revision": revision}
            lengths = {"ids": list(weighed.lengths), "lengths": list(weighed.lengths.values())}
            await connection.execute(_WEIGHED, place | lengths | {"model": model, "average": weighed.average_terms})
            await connection.execute(_INDEXED, place)
            return True

    async def forget_below(self, tenant: TenantId, document: DocumentId, revision: int) -> None:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "revision": revision}
            await connection.execute(_FORGET_BLOCKS_BELOW, values)
            await connection.execute(_FORGET_CHUNKS_BELOW, values)
            await connection.execute(_FORGET_CACHED_ANSWERS, values)

    async def fail(self, tenant: TenantId, document: DocumentId, revision: int, *, stage: str, message: str) -> None:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "revision": revision, "stage": stage, "message": message}
            await connection.execute(_FAIL, values)
            await connection.execute(_FAILED, values)


async def _still_latest(connection: AsyncConnection, document: DocumentId, revision: int) -> bool:
    values = {"document": document, "revision": revision}
    return (await connection.execute(_STILL_LATEST, values)).one_or_none() is not None


def _chunk_row(
    document: DocumentId, revision: int, chunk: Chunk, blocks: Sequence[Block], title: str
) -> dict[str, object]:
    anchors = []
    for span in chunk.spans:
        block = blocks[span.block_id]
        place = {"page": block.page, "line": block.line, "message_id": block.message_id, "second": block.second}
        anchors.append(
            {"revision": revision, "block_id": span.block_id, "start": span.start, "end": span.end}
            | {name: value for name, value in place.items() if value is not None}
        )
    embedded = embedded_text(title, chunk.heading_path, chunk.text, chunk.context)
    return {
        "id": chunk_id(document, revision, chunk.ordinal),
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "heading_path": list(chunk.heading_path),
        "anchors": as_json(anchors),
        "language": chunk.language,
        "tokens": chunk.tokens,
        "context": chunk.context,
        "embedded_sha256": embedded_sha256(embedded),
    }


def _chain(start: ContainerId | None, above: dict[ContainerId, Node]) -> tuple[ContainerId, ...]:
    """The container and all above it, innermost first."""
    chain: list[ContainerId] = []
    while start is not None and start in above and start not in chain:
        chain.append(start)
        start = above[start].parent
    return tuple(chain)
