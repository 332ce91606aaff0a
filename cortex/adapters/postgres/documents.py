"""What the hot path reads of documents (ports/document_reader.py)."""

from collections.abc import Sequence

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.freshness import FRESH
from cortex.domain.answer import SourceLabel
from cortex.domain.chunk import Chunk, Span
from cortex.domain.document import Anchor, Block, BlockKind
from cortex.domain.errors import Unauthenticated
from cortex.domain.identity import ChunkId, DocumentId, PersonId, TenantId
from cortex.ports.document_reader import LiveDocument, Quotation, StoredChunk

_LIVE = text(
    "SELECT d.id, d.source_id, s.type, s.name AS source, d.external_id, d.title, d.url, d.author, d.mime, d.created_at,"
    " d.updated_at, d.indexed_revision, d.raw_key,"
    # Until new bytes are screened nobody knows what they hold.
    " (d.altered OR d.stage = 'queued') AND coalesce(s.privacy ->> 'originals', 'hide') <> 'show' AS original_hidden"
    " FROM documents d JOIN sources s ON s.id = d.source_id"
    " WHERE d.id = ANY(:documents) AND d.tombstoned_at IS NULL AND NOT d.quarantined AND s.state <> 'removing'"
    f" AND {FRESH}"
)
_CHUNKS = text(
    "SELECT id, document_id, revision, ordinal, text, heading_path, anchors, language, tokens"
    " FROM chunks WHERE id = ANY(:chunks)"
)
_BLOCKS = text("SELECT blocks FROM blocks WHERE document_id = :document AND revision = :revision")
_QUOTED = text(
    "WITH q AS (SELECT * FROM unnest(CAST(:documents AS uuid[]), CAST(:revisions AS bigint[]), CAST(:quotes AS text[]))"
    " AS q (document_id, revision, quote))"
    " SELECT b.document_id, e.place - 1 AS block_id, e.block"
    " FROM (SELECT DISTINCT document_id, revision FROM q) AS d JOIN blocks b USING (document_id, revision)"
    " CROSS JOIN LATERAL jsonb_array_elements(b.blocks) WITH ORDINALITY AS e (block, place)"
    " WHERE e.block ->> 'kind' = 'heading' OR EXISTS (SELECT FROM q WHERE q.document_id = b.document_id"
    " AND q.revision = b.revision AND position(q.quote IN e.block ->> 'text') > 0)"
    " ORDER BY b.document_id, e.place"
)
_SOURCES = text("SELECT id, type, name FROM sources WHERE state <> 'removing' ORDER BY name")
_TOKEN = text(
    "SELECT m.token FROM permission_marks m JOIN persons p ON p.id = :person AND p.active WHERE m.tenant_id = :tenant"
)


class PostgresDocuments:
    """Implements DocumentReader."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def live(self, tenant: TenantId, documents: Sequence[DocumentId]) -> dict[DocumentId, LiveDocument]:
        async with self._database.tenant(tenant) as connection:
            rows = await connection.execute(_LIVE, {"documents": list(documents)})
            return {
                row.id: LiveDocument(
                    document_id=row.id,
                    source=SourceLabel(row.source_id, row.type, row.source),
                    external_id=row.external_id,
                    title=row.title,
                    url=row.url,
                    author=row.author,
                    mime=row.mime,
                    created_at=row.created_at,
                    updated_at=row.updated_at,
                    indexed_revision=row.indexed_revision,
                    raw_key=row.raw_key,
                    original_hidden=row.original_hidden,
                )
                for row in rows
            }

    async def chunks(self, tenant: TenantId, chunks: Sequence[ChunkId]) -> dict[ChunkId, StoredChunk]:
        async with self._database.tenant(tenant) as connection:
            rows = (await connection.execute(_CHUNKS, {"chunks": list(chunks)})).all()
        found = {}
        for row in rows:
            anchors = tuple(Anchor(**anchor) for anchor in row.anchors)
            spans = tuple(Span(anchor.block_id, anchor.start, anchor.end) for anchor in anchors)
            chunk = Chunk(row.ordinal, row.text, spans, tuple(row.heading_path), row.language, row.tokens)
            found[row.id] = StoredChunk(row.id, row.document_id, row.revision, chunk, anchors)
        return found

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        async with self._database.tenant(tenant) as connection:
            values = {"document": document, "revision": revision}
            stored = (await connection.execute(_BLOCKS, values)).scalar_one_or_none()
        return blocks_from_json(stored or [])

    async def quoted(self, tenant: TenantId, quotations: Sequence[Quotation]) -> dict[DocumentId, list[Block]]:
        values = {
            "documents": [one.document_id for one in quotations],
            "revisions": [one.revision for one in quotations],
            "quotes": [one.quote for one in quotations],
        }
        found: dict[DocumentId, list[Block]] = {}
        async with self._database.tenant(tenant) as connection:
            for row in await connection.execute(_QUOTED, values):
                found.setdefault(row.document_id, []).append(_block(row.block_id, row.block))
        return found

    async def sources(self, tenant: TenantId) -> list[SourceLabel]:
        async with self._database.tenant(tenant) as connection:
            return [SourceLabel(row.id, row.type, row.name) for row in await connection.execute(_SOURCES)]

    async def permission_token(self, tenant: TenantId, person: PersonId) -> str | None:
        async with self._database.tenant(tenant) as connection:
            row = (await connection.execute(_TOKEN, {"tenant": tenant, "person": person})).one_or_none()
        if row is None:
            raise Unauthenticated("The person of this credential is unknown or inactive.")
        token: str | None = row.token
        return token


def blocks_json(blocks: Sequence[Block]) -> list[dict[str, object]]:
    """Positions give the ids; empty fields are left out."""
    fields = ("level", "page", "line", "message_id", "second")
    return [
        {"kind": block.kind.value, "text": block.text}
        | {name: getattr(block, name) for name in fields if getattr(block, name) is not None}
        for block in blocks
    ]


def blocks_from_json(stored: Sequence[dict[str, object]]) -> list[Block]:
    return [_block(number, fields) for number, fields in enumerate(stored)]


def _block(number: int, fields: dict[str, object]) -> Block:
    return Block(block_id=number, **{**fields, "kind": BlockKind(str(fields["kind"]))})  # type: ignore[arg-type]
