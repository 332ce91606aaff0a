"""The index against the source: every difference in a sentence of its own."""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import nats
import psycopg
from psycopg.rows import class_row

from cortex.adapters.qdrant.client import connect
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.cli.gateway import Gateway
from cortex.domain.identity import ChunkId, DocumentId, PersonId, document_id, source_id, tenant_id
from cortex.domain.vector import IndexedRevision
from cortex.ports.permission_engine import Check

TENANT = "default"
PAGE = 1000
CHECKS = 100
_DOCUMENTS = (
    "SELECT d.id, s.name AS source, d.external_id, d.revision, d.indexed_revision, d.metadata_revision, d.acl_revision,"
    " d.content_sha256, d.stage, d.tombstoned_at IS NOT NULL AS tombstoned, (SELECT array_agg(c.id) FROM chunks c"
    " WHERE c.tenant_id = d.tenant_id AND c.document_id = d.id) AS chunks"
    " FROM documents d JOIN sources s ON s.tenant_id = d.tenant_id AND s.id = d.source_id"
)
_LEFT = (
    "SELECT 'events', count(*) FROM event_outbox"
    " UNION ALL SELECT 'permission writes', count(*) FROM permission_outbox"
    " UNION ALL SELECT 'repairs', count(*) FROM acl_repairs"
    " UNION ALL SELECT 'runs', count(*) FROM source_runs WHERE state = 'running'"
    " UNION ALL SELECT 'documents', count(*) FROM documents WHERE tombstoned_at IS NULL AND indexed_revision < revision"
)
_INDEXED = "SELECT count(*) FROM documents WHERE tombstoned_at IS NULL AND indexed_revision = revision"


@dataclass(frozen=True, slots=True)
class Expected:
    """One document as it must be. `sha256` None: not compared."""

    source: str
    external_id: str
    token: str
    readers: frozenset[str]
    sha256: str | None = None

    @property
    def id(self) -> DocumentId:
        tenant = tenant_id(TENANT)
        return document_id(tenant, source_id(tenant, self.source), self.external_id)

    @property
    def name(self) -> str:
        return f"{self.source}/{self.external_id}"


@dataclass(frozen=True, slots=True)
class Row:
    """One document as Postgres has it, deleted ones included; `chunks` of every revision that is still stored."""

    id: DocumentId
    source: str
    external_id: str
    revision: int
    indexed_revision: int
    metadata_revision: int
    acl_revision: int
    content_sha256: str
    stage: str
    tombstoned: bool
    chunks: Sequence[ChunkId] | None


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def work_left(admin_url: str) -> dict[str, int]:
    """What Postgres says is still to be done, by kind; only what is not nothing. Raises psycopg.OperationalError."""
    with psycopg.connect(admin_url) as connection:
        return {str(kind): int(count) for kind, count in connection.execute(_LEFT) if count}


def indexed(admin_url: str) -> int:
    """How many documents are in the index as they are now. Raises psycopg.OperationalError."""
    with psycopg.connect(admin_url) as connection:
        row = connection.execute(_INDEXED).fetchone()
    return int(row[0]) if row is not None else 0


def rows_of(admin_url: str) -> Sequence[Row]:
    with psycopg.connect(admin_url) as connection:
        return connection.cursor(row_factory=class_row(Row)).execute(_DOCUMENTS).fetchall()


async def points_of(urls: Mapping[str, str]) -> list[IndexedRevision]:
    """Everything in the index, page by page."""
    points: list[IndexedRevision] = []
    async with connect(url=urls["CORTEX_QDRANT_URL"], key=urls["CORTEX_QDRANT_KEY"]) as qdrant:
        reader, after = qdrant.reader("chunks"), None
        while True:
            page = await reader.revisions(tenant_id(TENANT), after=after, limit=PAGE)
            points += page.rows
            if page.after is None:
                return points
            after = page.after


def stored_differences(
    rows: Sequence[Row], points: Sequence[IndexedRevision], expected: Sequence[Expected]
) -> Iterator[str]:
    """Rows against what must be, then points against rows."""
    wanted = {document.id: document for document in expected}
    live = {row.id: row for row in rows if not row.tombstoned}
    for document in expected:
        row = live.get(document.id)
        if row is None:
            yield f"{document.name} is lost"
        elif document.sha256 is not None and row.content_sha256 != document.sha256:
            yield f"{document.name} has other bytes than its source"
    for identifier, row in live.items():
        if identifier not in wanted:
            yield f"{row.source}/{row.external_id} lives on, although it was deleted"
        if row.indexed_revision != row.revision or row.stage != "indexed":
            yield f"{row.external_id} is {row.stage}: revision {row.revision}, indexed {row.indexed_revision}"
    by_document: dict[DocumentId, list[IndexedRevision]] = defaultdict(list)
    for point in points:
        by_document[point.document_id].append(point)
    for identifier in by_document.keys() - live.keys():
        yield f"{len(by_document[identifier])} points of {identifier}, which is deleted or unknown"
    for identifier, row in live.items():
        yield from _point_differences(row, by_document.get(identifier, []))
    for row in rows:
        if row.tombstoned and row.chunks:
            yield f"{row.external_id} is deleted, but {len(row.chunks)} of its chunks are kept"


def _point_differences(row: Row, points: Sequence[IndexedRevision]) -> Iterator[str]:
    chunks = Counter(ChunkId(chunk) for chunk in row.chunks or ())
    found = Counter(point.chunk_id for point in points)
    if missing := chunks - found:
        yield f"{row.external_id}: {len(missing)} of {len(chunks)} chunks have no point"
    if spare := found - chunks:
        yield f"{row.external_id}: {spare.total()} points without a chunk, or twice"
    if not chunks:
        yield f"{row.external_id} has no chunks"
    for point in points:
        if (point.revision, point.is_deleted) != (row.indexed_revision, False):
            yield f"{row.external_id}: a point of revision {point.revision}, live is {row.indexed_revision}"
        if (point.acl_revision, point.metadata_revision) != (row.acl_revision, row.metadata_revision):
            yield f"{row.external_id}: a point with old permissions or metadata"


class Askers:
    """Everybody's client of the gateway."""

    def __init__(self, gateways: Mapping[str, Gateway]) -> None:
        self._gateways = gateways

    def found_by(self, person: str, token: str) -> set[str]:
        body = {"query": token, "mode": "lexical", "limit": 10}
        results = self._gateways[person].post("/v1/search", body)["results"]
        return {str(result["document_id"]) for result in results} if isinstance(results, list) else set()

    def differences(self, expected: Sequence[Expected], retired: Sequence[str], source: random.Random) -> Iterator[str]:
        """Each document by one who may and by one who may not; each retired token by everybody in turn."""
        people = sorted(self._gateways)
        for document in expected:
            if document.readers:
                reader = source.choice(sorted(document.readers))
                if str(document.id) not in self.found_by(reader, document.token):
                    yield f"{reader} does not find {document.name}"
            others = sorted(set(people) - document.readers)
            if others and str(document.id) in self.found_by(other := source.choice(others), document.token):
                yield f"{other} finds {document.name}, which is not theirs"
        for number, token in enumerate(retired):
            person = people[number % len(people)]
            if found := self.found_by(person, token):
                yield f"{person} finds {len(found)} documents by a word that is deleted"


async def permission_differences(
    urls: Mapping[str, str], expected: Sequence[Expected], persons: Mapping[str, PersonId]
) -> list[str]:
    """The engine's answer for every person and document against the algebra."""
    differences = []
    async with AsyncExitStack() as stack:
        engine = SpiceDbEngine(urls["CORTEX_SPICEDB_URL"], key=urls["CORTEX_SPICEDB_KEY"])
        stack.push_async_callback(engine.close)
        for email, person in persons.items():
            for start in range(0, len(expected), CHECKS):
                some = expected[start : start + CHECKS]
                checks = [Check(document.id) for document in some]
                answers = await engine.check(tenant_id(TENANT), person, checks, at_least_as_fresh=None)
                differences += [
                    f"the engine says {answer} of {email} and {document.name}"
                    for document, answer in zip(some, answers, strict=True)
                    if answer is not (email in document.readers)
                ]
    return differences


async def messages_of(url: str, stream: str) -> int:
    """In the work queue: what nobody has acknowledged yet."""
    client = await nats.connect(url)
    try:
        return int((await client.jetstream().stream_info(stream)).state.messages)
    finally:
        await client.close()
