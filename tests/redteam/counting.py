"""The gateway's ports over the platform's own servers, each noting what it is asked: how much work an answer takes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.documents import PostgresDocuments
from cortex.adapters.postgres.suggestions import PostgresSuggestions
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.document import Block
from cortex.domain.identity import ChunkId, DocumentId, PersonId, TenantId
from cortex.ports.document_reader import LiveDocument, StoredChunk
from cortex.ports.permission_engine import Check
from cortex.ports.suggestion_store import Candidate, Named
from services.query_gateway.metrics import Metrics
from services.query_gateway.settings import RetrievalSettings
from services.query_gateway.visibility import Visibility

PATIENT_S = 30.0
Call = tuple[str, int]
"""What was asked of a server, and about how many things."""


class CountedDocuments(PostgresDocuments):
    def __init__(self, database: Database, calls: list[Call]) -> None:
        super().__init__(database)
        self._calls = calls

    async def live(self, tenant: TenantId, documents: Sequence[DocumentId]) -> dict[DocumentId, LiveDocument]:
        self._calls.append(("rows", len(documents)))
        return await super().live(tenant, documents)

    async def chunks(self, tenant: TenantId, chunks: Sequence[ChunkId]) -> dict[ChunkId, StoredChunk]:
        self._calls.append(("chunks", len(chunks)))
        return await super().chunks(tenant, chunks)

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        self._calls.append(("blocks", 1))
        return await super().blocks(tenant, document, revision)

    async def permission_token(self, tenant: TenantId, person: PersonId) -> str | None:
        self._calls.append(("token", 1))
        return await super().permission_token(tenant, person)


class CountedEngine(SpiceDbEngine):
    def __init__(self, url: str, *, key: str, calls: list[Call]) -> None:
        super().__init__(url, key=key)
        self._calls = calls

    async def check(
        self, tenant: TenantId, person: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        self._calls.append(("checks", len(checks)))
        return await super().check(tenant, person, checks, at_least_as_fresh=at_least_as_fresh)


class CountedSuggestions(PostgresSuggestions):
    def __init__(self, database: Database, calls: list[Call]) -> None:
        super().__init__(database)
        self._calls = calls

    async def candidates(self, tenant: TenantId, named: Named, prefix: str, *, limit: int) -> Sequence[Candidate]:
        self._calls.append((named, limit))
        return await super().candidates(tenant, named, prefix, limit=limit)


@dataclass(frozen=True, slots=True)
class Counted:
    database: Database
    documents: CountedDocuments
    suggestions: CountedSuggestions
    visibility: Visibility
    calls: list[Call]

    def taken(self) -> tuple[Call, ...]:
        """Since it was last asked."""
        taken = tuple(self.calls)
        self.calls.clear()
        return taken


@asynccontextmanager
async def counted(urls: Mapping[str, str]) -> AsyncIterator[Counted]:
    calls: list[Call] = []
    database = Database.connect(urls["CORTEX_DATABASE_URL"], connections_max=2)
    engine = CountedEngine(urls["CORTEX_SPICEDB_URL"], key=urls["CORTEX_SPICEDB_KEY"], calls=calls)
    documents = CountedDocuments(database, calls)
    bounds = RetrievalSettings()
    visibility = Visibility(
        documents=documents,
        permissions=engine,
        metrics=Metrics(CollectorRegistry()),
        timeout_s=PATIENT_S,
        batch=bounds.batch,
    )
    try:
        yield Counted(database, documents, CountedSuggestions(database, calls), visibility, calls)
    finally:
        await engine.close()
        await database.close()
