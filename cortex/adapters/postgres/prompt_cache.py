"""Answers that a model wrote before (ports/prompt_cache.py)."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta

from sqlalchemy import text

from cortex.adapters.postgres.database import Database
from cortex.domain.answer import Citation, Sentence
from cortex.domain.document import Anchor
from cortex.domain.identity import ChunkId, DocumentId, PersonId, TenantId
from cortex.ports.clock import Clock
from cortex.ports.prompt_cache import CachedAnswer

KEPT = timedelta(hours=24)
SWEPT_MAX = 500

_GET = text("SELECT answer FROM cached_answers WHERE key = :key AND created_at > :since")
_PUT = text(
    "INSERT INTO cached_answers (tenant_id, key, person_id, answer, created_at)"
    " VALUES (:tenant, :key, :person, CAST(:answer AS jsonb), :now) ON CONFLICT (tenant_id, key) DO UPDATE SET"
    " person_id = excluded.person_id, answer = excluded.answer, created_at = excluded.created_at"
)
_PUT_DOCUMENT = text(
    "INSERT INTO cached_answer_documents (tenant_id, key, document_id) VALUES (:tenant, :key, :document)"
    " ON CONFLICT DO NOTHING"
)
_SWEEP = text(
    "DELETE FROM cached_answers WHERE key IN"
    f" (SELECT key FROM cached_answers WHERE created_at <= :since ORDER BY created_at LIMIT {SWEPT_MAX})"
)


class PostgresPromptCache:
    """Implements PromptCache. What is too old is never given, and `sweep` takes it away."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, tenant: TenantId, key: bytes) -> CachedAnswer | None:
        async with self._database.tenant(tenant) as connection:
            values = {"key": key, "since": self._clock.now() - KEPT}
            stored = (await connection.execute(_GET, values)).scalar_one_or_none()
        if stored is None:
            return None
        return CachedAnswer(tuple(_sentence(sentence) for sentence in stored["sentences"]), stored["reason"])

    async def put(
        self, tenant: TenantId, key: bytes, answer: CachedAnswer, *, person: PersonId, documents: Sequence[DocumentId]
    ) -> None:
        now, stored = self._clock.now(), json.dumps(asdict(answer), default=str, ensure_ascii=False)
        values = {
            "tenant": tenant,
            "key": key,
            "person": person,
            "answer": stored,
            "now": now,
        }
        async with self._database.tenant(tenant) as connection:
            await connection.execute(_PUT, values)
            rows = [{"tenant": tenant, "key": key, "document": document} for document in documents]
            if rows:
                await connection.execute(_PUT_DOCUMENT, rows)

    async def sweep(self, tenant: TenantId) -> int:
        """How many went, at most SWEPT_MAX: whoever gets that many comes back."""
        async with self._database.tenant(tenant) as connection:
            return (await connection.execute(_SWEEP, {"since": self._clock.now() - KEPT})).rowcount


def _sentence(stored: dict[str, object]) -> Sentence:
    citations = stored["citations"]
    assert isinstance(citations, list)
    return Sentence(str(stored["text"]), tuple(_citation(citation) for citation in citations))


def _citation(stored: dict[str, object]) -> Citation:
    anchor = stored["anchor"]
    assert isinstance(anchor, dict)
    return Citation(
        n=int(str(stored["n"])),
        quote=str(stored["quote"]),
        document_id=DocumentId(uuid.UUID(str(stored["document_id"]))),
        chunk_id=ChunkId(uuid.UUID(str(stored["chunk_id"]))),
        anchor=Anchor(**anchor),
    )
