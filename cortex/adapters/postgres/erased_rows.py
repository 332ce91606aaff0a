"""What a put has to know of erasures, in its own transaction: which content may not come back, and which bytes went."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.domain.errors import Conflict
from cortex.domain.identity import DocumentId, TenantId

_BYTES_LOCK = "hashtextextended('raw:' || :tenant || ':' || content_sha256, 0)"
_HOLD = text(
    f"SELECT pg_advisory_xact_lock_shared({_BYTES_LOCK})"
    " FROM unnest(CAST(:hashes AS text[])) AS held (content_sha256) ORDER BY content_sha256"
)
_TAKE = text(f"SELECT pg_advisory_xact_lock({_BYTES_LOCK}) FROM (VALUES (:content_sha256)) AS taken (content_sha256)")
_WENT = text("SELECT DISTINCT content_sha256 FROM erased_documents WHERE content_sha256 = ANY(:hashes)")
_REFUSED = text("SELECT EXISTS (SELECT FROM erased_documents WHERE document_id = :id AND content_sha256 = :hash)")
_RUNNING = text(
    "SELECT EXISTS (SELECT FROM erasures WHERE subject_kind = 'document' AND subject_id = :id AND state = 'running')"
)
_LIFT = text("DELETE FROM erased_documents WHERE document_id = :id")
_REMEMBER = text(
    "INSERT INTO document_bytes (tenant_id, document_id, content_sha256) VALUES (:tenant, :id, :hash)"
    " ON CONFLICT DO NOTHING"
)
ERASING = "this document is just being erased; what comes afterwards is taken if it is something else"
ERASED = "this document was erased; other content is taken, and the same only with ?reset=true"


async def hold_bytes(connection: AsyncConnection, tenant: TenantId, hashes: Sequence[str]) -> list[str]:
    """Until the transaction ends no erasure takes these bytes; returns those that one may have taken before."""
    await connection.execute(_HOLD, {"tenant": str(tenant), "hashes": sorted(set(hashes))})
    return list((await connection.execute(_WENT, {"hashes": list(hashes)})).scalars())


async def take_bytes(connection: AsyncConnection, tenant: TenantId, content_sha256: str) -> None:
    """Waits until no put is about to refer to these bytes, and keeps others waiting until the transaction ends."""
    await connection.execute(_TAKE, {"tenant": str(tenant), "content_sha256": content_sha256})


async def check_not_erased(
    connection: AsyncConnection, document: DocumentId, content_sha256: str, *, reset: bool
) -> None:
    """Raises Conflict for content that was erased under this id; `reset` lets it in from now on.

    The caller holds the document's row, if there is one: an erasure that begins later finds what the caller writes.
    """
    if (await connection.execute(_RUNNING, {"id": document})).scalar_one():
        raise Conflict(ERASING)
    if reset:
        await connection.execute(_LIFT, {"id": document})
    elif (await connection.execute(_REFUSED, {"id": document, "hash": content_sha256})).scalar_one():
        raise Conflict(ERASED)


async def remember_bytes(
    connection: AsyncConnection, tenant: TenantId, document: DocumentId, content_sha256: str
) -> None:
    await connection.execute(_REMEMBER, {"tenant": tenant, "id": document, "hash": content_sha256})
